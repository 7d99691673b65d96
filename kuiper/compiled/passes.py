"""How parts that follow one another are one call: of one thread, or of several that share the work.

Each thread has its share of a part's units, takes them one by one, and when they are gone takes those of the others:
one that the system holds up costs no more than its share. A thread goes on to the next part when all units of this one
are done. Helpers, which are all threads but the caller's, may come late, or not at all: they pass a gate that is open
for one pass only, so that a helper of an earlier pass finds it closed.

The state of a pass is a row of cache lines, each an i64: the gate, and for every part the units taken of each thread's
share, and the units done.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from kuiper.compiled.builder import I32, I64, POINTER, VOID, Value, VectorBuilder, function, i64
from kuiper.compiled.parts import Module

LINE = 64
INSIDE = (1 << 20) - 1
"""The gate: the pass's number times 2^20, and how many helpers are inside."""
PART = ir.PointerType(ir.FunctionType(VOID, [POINTER] * 3 + [I64] * 3))
"""The type of a part's function."""
ROW = ir.LiteralStructType([PART, I64])
"""Of the table of parts: a function, and how many units it has."""
PATIENCE = 400
"""How often a waiting thread looks before it offers its core to others."""


def state_bytes(parts: int, threads: int) -> int:
    """Memory for the state."""
    return LINE * (1 + parts * (threads + 1))


def text_of(module: Module) -> str:
    """The IR of a module and of the passes over its parts, from part `first` up to part `last`, without it.

    alone(arena, outside, scratch, first, last) and shared(arena, outside, scratch, first, last, state, number, thread)
    have no result.
    """
    module.write()
    table = _table(module)
    _alone(module, table)
    _shared(module, table)
    return str(module.ir)


def _table(module: Module) -> Any:
    """The constant array of all parts: each one's function, and how many units it has."""
    rows = [ROW([module.ir.globals[part.name], i64(part.units)]) for part in module.parts]
    kind = ir.ArrayType(ROW, len(rows))
    table = ir.GlobalVariable(module.ir, kind, "parts")
    table.linkage, table.global_constant, table.initializer = "internal", True, kind(rows)
    return table


def _part(b: VectorBuilder, table: Any, index: Value) -> tuple[Value, Value]:
    """The function of a part, and its units."""
    row = b.gep(table, [i64(0), index], source_etype=table.value_type)
    return b.load(row, typ=PART, align=8), b.load(b.at(row, 8), typ=I64, align=8)


def _alone(module: Module, table: Any) -> None:
    made = function(module.ir, "alone", [POINTER] * 3 + [I64] * 2, internal=False)
    b = VectorBuilder(made.append_basic_block("entry"), module.target)
    *memories, first, last = made.args

    def one(index: Value) -> None:
        part, units = _part(b, table, index)
        b.call(part, [*memories, i64(0), i64(0), units])

    b.between(first, last, one)
    b.ret_void()


def _shared(module: Module, table: Any) -> None:
    threads = module.threads
    made = function(module.ir, "shared", [POINTER] * 3 + [I64] * 2 + [POINTER] + [I64] * 2, internal=False)
    b = VectorBuilder(made.append_basic_block("entry"), module.target)
    *memories, first, last, state, number, thread = made.args
    opened = b.shl(number, i64(20))
    helps = b.icmp_signed(">", thread, i64(0))
    refused = made.append_basic_block("refused")
    go = made.append_basic_block("go")
    ask = made.append_basic_block("ask")
    b.cbranch(helps, ask, go)
    b.position_at_end(ask)
    b.cbranch(b.icmp_signed("==", b.call(_enter(module), [state, opened]), i64(0)), refused, go)
    b.position_at_end(refused)
    b.ret_void()
    b.position_at_end(go)

    def one(index: Value) -> None:
        part, units = _part(b, table, index)
        counters = b.at(state, b.mul(b.sub(index, first), i64(LINE * (threads + 1))), LINE)
        b.call(_share(module), [part, units, *memories, counters, thread])

    b.between(first, last, one)
    leave, close = made.append_basic_block("leave"), made.append_basic_block("close")
    b.cbranch(helps, leave, close)
    b.position_at_end(leave)
    b.atomic_rmw("sub", state, i64(1), "release")
    b.ret_void()
    b.position_at_end(close)
    b.atomic_rmw("and", state, i64(INSIDE), "acq_rel")  # no pass has the number 0
    b.ret_void()


def _enter(module: Module) -> Any:
    """i64 enter(gate, opened): 1, and one more inside, if the gate is open for this pass; 0 otherwise."""
    if "enter" in module.ir.globals:
        return module.ir.globals["enter"]
    made = ir.Function(module.ir, ir.FunctionType(I64, [POINTER, I64]), "enter")
    made.linkage = "internal"
    made.attributes.add("nounwind")
    b = VectorBuilder(made.append_basic_block("entry"), module.target)
    gate, opened = made.args
    look, attempt, no, yes = (made.append_basic_block(name) for name in ("look", "attempt", "no", "yes"))
    b.branch(look)
    b.position_at_end(look)
    now = b.load_atomic(gate, "acquire", 8, typ=I64)
    b.cbranch(b.icmp_unsigned("==", b.and_(now, i64(~INSIDE)), opened), attempt, no)
    b.position_at_end(attempt)
    pair = b.cmpxchg(gate, now, b.add(now, i64(1)), "acq_rel", "acquire")
    b.cbranch(b.extract_value(pair, 1), yes, look)
    b.position_at_end(no)
    b.ret(i64(0))
    b.position_at_end(yes)
    b.ret(i64(1))
    return made


def _share(module: Module) -> Any:
    """void share(part, units, arena, outside, scratch, counters, thread): units, until none is left or unfinished."""
    threads, name = module.threads, "share"
    if name in module.ir.globals:
        return module.ir.globals[name]
    made = function(module.ir, name, [PART, I64, *[POINTER] * 4, I64])
    made.attributes.add("noinline")
    b = VectorBuilder(made.append_basic_block("entry"), module.target)
    part, units, *memories, counters, thread = made.args
    done = b.at(counters, LINE * threads)

    def of_thread(turn: Value, carried: list[Value]) -> list[Value]:
        whose = b.srem(b.add(thread, turn), i64(threads))
        start = b.sdiv(b.mul(units, whose), i64(threads))
        count = b.sub(b.sdiv(b.mul(units, b.add(whose, i64(1))), i64(threads)), start)
        counter = b.at(counters, b.mul(whose, i64(LINE)))
        take, work, after = (b.function.append_basic_block(name) for name in ("take", "work", "after"))
        before = b.block
        some = b.icmp_signed("<", b.load_atomic(counter, "monotonic", 8, typ=I64), count)
        b.cbranch(some, take, after)
        b.position_at_end(take)
        sofar = b.phi(I64)
        sofar.add_incoming(carried[0], before)
        mine = b.atomic_rmw("add", counter, i64(1), "monotonic")
        b.cbranch(b.icmp_signed("<", mine, count), work, after)
        b.position_at_end(work)
        unit = b.add(start, mine)
        b.call(part, [*memories, thread, unit, b.add(unit, i64(1))])
        more = b.add(sofar, i64(1))
        sofar.add_incoming(more, work)
        b.branch(take)
        b.position_at_end(after)
        total = b.phi(I64)
        total.add_incoming(carried[0], before)
        total.add_incoming(sofar, take)
        return [total]

    (total,) = b.loop(i64(0), i64(threads), 1, of_thread, [i64(0)])
    with b.if_then(b.icmp_signed(">", total, i64(0))):
        b.atomic_rmw("add", done, total, "acq_rel")
    _wait(b, done, units)
    b.ret_void()
    return made


def _wait(b: VectorBuilder, done: Value, units: Value) -> None:
    """Until `done` is `units`: look, pause, and after PATIENCE looks let other threads run."""
    spin, relax, give, after = (b.function.append_basic_block(name) for name in ("spin", "relax", "give", "after"))
    before = b.block
    b.branch(spin)
    b.position_at_end(spin)
    looks = b.phi(I64)
    looks.add_incoming(i64(0), before)
    now = b.load_atomic(done, "acquire", 8, typ=I64)
    b.cbranch(b.icmp_signed(">=", now, units), after, relax)
    b.position_at_end(relax)
    if b.target.triple.startswith("x86_64"):
        _call(b, "llvm.x86.sse2.pause", VOID)
    more = b.add(looks, i64(1))
    looks.add_incoming(more, relax)
    b.cbranch(b.icmp_signed(">", more, i64(PATIENCE)), give, spin)
    b.position_at_end(give)
    _yield(b)
    looks.add_incoming(i64(0), give)
    b.branch(spin)
    b.position_at_end(after)


def _yield(b: VectorBuilder) -> None:
    """Offer the core to other threads."""
    if "windows" in b.target.triple:
        _call(b, "SwitchToThread", I32)
    else:
        _call(b, "sched_yield", I32)


def _call(b: VectorBuilder, name: str, result: Any) -> None:
    known = b.module.globals.get(name)
    b.call(known or ir.Function(b.module, ir.FunctionType(result, []), name), [])
