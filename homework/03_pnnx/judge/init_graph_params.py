r"""All eight kinds of parameter: why the solution is as it is.

A tagged struct: one number says which of the other fields is alive. C++ has no type that is "int or list of strings",
so PNNX's `Parameter` simply has all fields at once. The runtime wants the one value that counts. The whole task is a
table, type -> field, and four decisions around it.

**A table, not eight branches.** The original course writes a `switch` of eight cases of four lines. Most mistakes in
it come from copying a case and forgetting to change a letter: type 3 that reads `i`, type 7 that reads `s` (and then
`list("zeros")` takes the text apart: `['z', 'e', 'r', 'o', 's']`). A table has one line per type, and the eye sees a
wrong one.

**Ask the type, never the value.** "Take the first field that is not empty" works until a value is `False`, `0` or
`""`, or until another field holds junk, which it does: nobody clears memory that nobody reads. For the same reason
`value or None` is wrong.

**Null is an answer.** `output_size=None` says: keep the input's size. An option that was left out says: look for the
default. A layer must be able to tell them apart, so type 0 stays in the result.

**Copy.** The reader fills the same struct for the next line. Whoever keeps the reader's list keeps a list that will
change. `list(values)` is enough, because the elements are numbers and texts, which cannot change. `sorted` and `set`
also make something new, but something else.

**Refuse what you do not know.** PNNX has two kinds more, 10 and 11, complex numbers; the next version may have
others. Reading them from some field, or keeping None in silence, moves the error to a place where nobody can explain
it. The dictionary's own `KeyError: 9` names neither the option nor what was expected; the two names in the message
are what the reader of the error needs. `FIELDS[-1]` on a list of fields is a trap of its own: Python counts from the
end.

Cost: one step per option, and one per element of a list.

The eight kinds are those of the original course. kuiper keeps the two complex ones as well, so `for_kuiper` lets them
pass by the function.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from classroom.judge import Failure, Mutant, Student, SubmissionError, expect, task

FIELDS = (None, "b", "i", "f", "s", "ai", "af", "as_")
WORDS = ("zeros", "None", "()", "0", "1.5", "", "ünïcödé", "a=b", "%x", "type")
NAMES = ("stride", "type", "b", "as_", "output_size", "ünïcödé", "", "a.b", "__class__")


def random_struct(rng: np.random.Generator, kind: int, longest: int = 6) -> dict[str, Any]:
    """A struct whose eight fields all hold something, some of it large, empty or easily confused."""
    few = int(rng.integers(0, longest))
    struct = {
        "type": kind,
        "b": bool(rng.integers(2)),
        "i": int(rng.integers(-(2**62), 2**62)),
        "f": float(rng.standard_normal() * 10.0 ** rng.integers(-30, 30)),
        "s": str(rng.choice(WORDS)),
        "ai": rng.integers(-(2**31), 2**31, few).tolist(),
        "af": rng.standard_normal(few + 1).tolist(),
        "as_": rng.choice(WORDS, few + 2).tolist(),
    }
    keys = list(struct)
    rng.shuffle(keys)  # a struct is read by the names of its fields
    return {key: struct[key] for key in keys}


def converted(params: dict[str, dict[str, Any]]) -> dict[str, tuple[int, Any]]:
    """What must come out."""
    result: dict[str, tuple[int, Any]] = {}
    for name, parameter in params.items():
        field = FIELDS[parameter["type"]]
        result[name] = (parameter["type"], None if field is None else parameter[field])
    return result


def option_mistakes(name: str, parameter: dict[str, Any]) -> dict[str, Any]:
    """Likely cause -> what it gives for this one option."""
    kind, field = parameter["type"], FIELDS[parameter["type"]]
    value = None if field is None else parameter[field]
    pairs: dict[str, Any] = {"The pair is a list: write (kind, value), which is a tuple.": [kind, value]}
    if kind == 0:
        pairs["Type 0 gives None itself, not its name as a str."] = (0, "None")
    if kind == 1:
        pairs["A bool came back as an int: return what field b holds, as it is."] = (1, int(value))
    if kind == 2:
        pairs["An int came back as a bool: return what field i holds, as it is."] = (2, bool(value))
    if kind == 7:
        letters = list(parameter["s"] or "")
        pairs["A text was taken apart into letters: type 7 stands in field as_, not in s."] = (7, letters)
    if kind >= 5:
        pairs |= {
            "Lists must stay lists; a tuple came back: copy with list(values).": (kind, tuple(value)),
            "The list was sorted: copy with list(values), which keeps its order.": (kind, sorted(value)),
            "What stands twice in the list came back once: list(values) keeps all, a set or dict does not.": (
                kind,
                list(dict.fromkeys(value)),
            ),
            f"A list has a type of its own: return {kind}, as it came, not {kind - 3}.": (kind - 3, value),
        }
    if kind and not value:
        pairs[f"`value or None` makes None of {value!r}, which is a value: only type 0 gives None."] = (kind, None)
    place = f"stands in field {field}: see the table at the top of the file" if field else "has none: its value is None"
    pairs |= {
        f"Field {other} was read, but type {kind} {place}.": (kind, parameter[other]) for other in FIELDS[1:] if other
    }
    return {
        "The values stand where (type, value) pairs should: return a tuple of two for each name.": {name: value},
        f"The option was left out: type {kind} belongs into the result, too, as ({kind}, {value!r:.40}).": {},
        **{cause: {name: pair} for cause, pair in pairs.items()},
    }


def options_mistakes(params: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Likely cause -> what it gives for several options."""
    right, (first, *_, last) = converted(params), params
    return {
        "Only the first option came back: put the return behind the loop, not into it.": {first: right[first]},
        "Only the last option came back: make the result before the loop, not anew in each turn.": {last: right[last]},
    }


def names_mistakes(params: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Likely cause -> what it gives for names of many kinds."""
    right = converted(params)
    return {
        "The names were changed to small letters: they come back as they are.": {
            n.lower(): p for n, p in right.items()
        },
        "The option without a name was left out: it has its place in the result, too.": {
            n: p for n, p in right.items() if n
        },
        **options_mistakes(params),
    }


def cleared_mistakes(params: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Likely cause -> what two conversions give once the lists of `params`, each its only option's, are empty."""
    emptied = {name: (parameter["type"], []) for name, parameter in params.items()}
    kinds = ", ".join(str(parameter["type"]) for parameter in params.values())
    cause = f"The result shares its list with params: copy every list, of type {kinds} too, with list(values)."
    return {
        cause: [emptied, emptied],
        "The copy went into params, and the result got the reader's own list: give the copy to the result.": [
            emptied,
            converted(params),
        ],
    }


def expect_refusal(student: Student, params: dict[str, dict[str, Any]], name: str, kind: int) -> None:
    """A ValueError whose message holds the option's name and the type's number."""
    try:
        got = student.init_graph_params(params)
    except SubmissionError as error:
        if error.kind != "raise" or error.type == "NotImplementedError":
            raise
        if error.type != "ValueError":
            raise Failure(f"type {kind}: expected a ValueError, got {error.type}", "ValueError", error.type) from None
        for part in (name, str(kind)):
            if part not in error.message:
                message = f"type {kind}: expected a message that holds {part!r}, got {error.message!r:.120}"
                raise Failure(message, part, error.message) from None
        return
    raise Failure(f"type {kind}: expected a ValueError, got {got!r:.200}", "ValueError", got)


@task("init_graph_params")
def many_options(student: Student, rng: np.random.Generator) -> None:
    """Two hundred options of all eight kinds, with names that are hard to confuse on purpose."""
    params = {f"{NAMES[i % len(NAMES)]}_{i}": random_struct(rng, int(rng.integers(8))) for i in range(200)}
    params |= {name: random_struct(rng, kind % 8) for kind, name in enumerate(NAMES)}
    expect(student.init_graph_params(params), converted(params))


@task("init_graph_params")
def values_that_look_like_nothing(student: Student, rng: np.random.Generator) -> None:
    """False, 0, 0.0, "" and empty lists are values, whatever the other fields hold."""
    nothing = (None, False, 0, 0.0, "", [], [], [])
    for kind in range(1, 8):
        struct = random_struct(rng, kind)
        struct |= {"b": True, "i": 5, "f": 2.5, "s": "junk", "ai": [1], "af": [1.5], "as_": ["junk"]}
        params = {"x": {**struct, FIELDS[kind]: nothing[kind]}, "y": random_struct(rng, 1 + kind % 7)}
        expect(student.init_graph_params(params), converted(params), what=f"the result for type {kind}")
    params = {"groups": {**random_struct(rng, 2), "i": 1}}
    expect(student.init_graph_params(params), {"groups": (2, 1)})
    expect(student.init_graph_params({}), {}, what="the result for no options")


@task("init_graph_params")
def extreme_values(student: Student, rng: np.random.Generator) -> None:
    """Long lists and numbers at the ends of their ranges come through as they are, in order."""
    floats = [float("inf"), float("-inf"), 5e-324, 1.7976931348623157e308, -1.0, 3.0]
    params = {
        "start": {**random_struct(rng, 2), "i": -(2**31)},
        "end": {**random_struct(rng, 2), "i": 2**63 - 1},
        "ends": {**random_struct(rng, 5), "ai": [2147483647, 0, -1, 2**40, 3, 3]},
        "scales": {**random_struct(rng, 6), "af": floats},
        "scale": {**random_struct(rng, 3), "f": 4.0},
        "table": {**random_struct(rng, 5), "ai": rng.integers(-9, 9, 20_000).tolist()},
        "names": {**random_struct(rng, 7), "as_": rng.choice(WORDS, 5_000).tolist()},
    }
    expect(student.init_graph_params(params), converted(params))


@task("init_graph_params")
def every_unknown_type_is_refused(student: Student, rng: np.random.Generator) -> None:
    """Negative, complex and huge types are refused wherever the option stands, and the message names it."""
    for kind in (-1, -3, -8, 9, 10, 11, 16, 255, 2**31, int(rng.integers(100, 10**6))):
        names = [f"option_{i}" for i in range(6)]
        params = {name: random_struct(rng, int(rng.integers(8))) for name in names}
        culprit = str(rng.choice(names))
        params[culprit]["type"] = kind
        expect_refusal(student, params, culprit, kind)


@task("init_graph_params")
def nothing_is_shared(student: Student, rng: np.random.Generator) -> None:
    """A second conversion gives the same, and neither notices when the reader uses its lists again."""
    params = {f"option_{i}": random_struct(rng, i % 8) for i in range(40)}
    right = converted(params)
    expect(student.twice_then_cleared(params), [right, right])


_COPY = "        if kind in ARRAYS:\n            value = list(value)\n"
_FIELDS = (
    'FIELDS = {BOOL: "b", INT: "i", FLOAT: "f", STRING: "s", INT_ARRAY: "ai", FLOAT_ARRAY: "af", STRING_ARRAY: "as_"}'
)
_NULL = "        if kind == NULL:\n            result[name] = (kind, None)\n            continue\n"
_REFUSE = '            raise ValueError(f"parameter {name}: expected a type from 0 to 7, found {kind}")\n'

MUTANTS = [
    Mutant(
        "lists_shared",
        "the reader uses its lists again: without a copy the options change afterwards",
        old=_COPY,
        new="",
        breaks="copy",
    ),
    Mutant(
        "only_ints_copied",
        "the copy was written for kernel_size and forgotten for the other two kinds of list",
        old="        if kind in ARRAYS:\n",
        new="        if kind == INT_ARRAY:\n",
        breaks="copy",
    ),
    Mutant(
        "copy_for_the_reader",
        "a copy is made, but the reader gets it, and the result the reader's own list",
        old="            value = list(value)\n",
        new="            parameter[FIELDS[kind]] = list(value)\n",
        breaks="copy",
    ),
    Mutant(
        "all_fields_read",
        "all seven fields are put into a table first, lists copied, and one of them is taken",
        old="        value = parameter[FIELDS[kind]]\n",
        new=(
            '        table = {one: parameter[one] for one in ("b", "i", "f", "s")}\n'
            '        table |= {one: list(parameter[one]) for one in ("ai", "af", "as_")}\n'
            "        value = table[FIELDS[kind]]\n"
        ),
        breaks="field",
    ),
    Mutant(
        "junk_cleared",
        "fields that the type does not name are tidied up, in the reader's memory",
        old="        if kind in ARRAYS:\n",
        new='        else_where = {"ai", "af", "as_"} - {FIELDS[kind]}\n'
        "        parameter.update({field: [] for field in else_where})\n"
        "        if kind in ARRAYS:\n",
        breaks="unchanged",
    ),
    Mutant(
        "float_from_int_field",
        "a case copied from the one above and not changed: type 3 reads field i",
        old='FLOAT: "f"',
        new='FLOAT: "i"',
        breaks="field",
    ),
    Mutant(
        "strings_from_string_field",
        "type 7 reads s, and list() takes the text apart into letters",
        old='STRING_ARRAY: "as_"',
        new='STRING_ARRAY: "s"',
        breaks="field",
    ),
    Mutant(
        "arrays_in_the_wrong_order",
        "types 5 and 6 exchanged",
        old='INT_ARRAY: "ai", FLOAT_ARRAY: "af"',
        new='INT_ARRAY: "af", FLOAT_ARRAY: "ai"',
        breaks="field",
    ),
    Mutant(
        "counted_from_bool",
        "the kinds counted from 0 = bool, as if null were no kind",
        old=_FIELDS,
        new='FIELDS = dict(enumerate(("b", "i", "f", "s", "ai", "af", "as_")))',
    ),
    Mutant(
        "first_field_that_holds_something",
        "the type is not asked: the first field that is not empty is taken for the value",
        old="        value = parameter[FIELDS[kind]]\n",
        new=('        value = next(parameter[f] for f in ("s", "ai", "as_", "af", "f", "i", "b") if parameter[f])\n'),
        breaks="field",
    ),
    Mutant(
        "null_left_out",
        "a null option is skipped, and a layer that asks for output_size finds none",
        old="            result[name] = (kind, None)\n",
        new="",
        breaks="null",
    ),
    Mutant(
        "null_refused",
        "type 0 taken for unknown",
        old=_NULL,
        new="",
        breaks="null",
    ),
    Mutant(
        "unknown_becomes_none",
        "an unknown type is accepted in silence",
        old=_REFUSE,
        new=("            result[name] = (kind, None)\n            continue\n"),
        breaks="unknown",
    ),
    Mutant(
        "unknown_is_a_key_error",
        "the dictionary complains, in words that name neither option nor reason",
        old=(
            "        if kind not in FIELDS:\n"
            '            raise ValueError(f"parameter {name}: expected a type from 0 to 7, found {kind}")\n'
        ),
        new="",
        breaks="unknown",
    ),
    Mutant(
        "nameless_refusal",
        "'unknown type 9': of which of thirty options?",
        old="parameter {name}: expected a type from 0 to 7, found {kind}",
        new="expected a type from 0 to 7, found {kind}",
        breaks="message",
    ),
    Mutant(
        "refusal_without_type",
        "the message does not say what came",
        old="expected a type from 0 to 7, found {kind}",
        new="unknown type",
        breaks="message",
    ),
    Mutant(
        "negative_types_index_from_the_end",
        "a list of fields indexed by type: -1 is the last of them",
        old="        if kind not in FIELDS:\n",
        new=("        if kind < 0:\n            kind = STRING_ARRAY\n        if kind not in FIELDS:\n"),
        breaks="unknown",
    ),
    Mutant(
        "only_minus_one_refused",
        "-1 was thought of; -2 and the rest count from the end of a list of fields",
        old="        if kind not in FIELDS:\n",
        new="        if -8 <= kind < -1:\n            kind = 8 + kind or STRING\n        if kind not in FIELDS:\n",
        breaks="unknown",
    ),
    Mutant(
        "a_type_too_many",
        "range(8) or range(9)? Type 8 is read as the last one that is known",
        old="        if kind not in FIELDS:\n",
        new="        if kind == 8:\n            kind = STRING_ARRAY\n        if kind not in FIELDS:\n",
        breaks="unknown",
    ),
    Mutant(
        "written_into_params",
        "no dictionary of one's own: the structs give way to the pairs",
        old="    result: dict[str, tuple[int, Any]] = {}\n",
        new="    result: dict[str, Any] = params\n",
        breaks="unchanged",
    ),
    Mutant(
        "fields_used_up",
        "pop takes the value out of the struct: a second conversion fails",
        old="        value = parameter[FIELDS[kind]]\n",
        new="        value = parameter.pop(FIELDS[kind])\n",
        breaks="unchanged",
    ),
    Mutant(
        "fields_overwritten",
        "field b becomes an int, which the second conversion finds",
        old="        if kind in ARRAYS:\n",
        new='        parameter["b"] = int(parameter["b"])\n        if kind in ARRAYS:\n',
        breaks="unchanged",
    ),
    Mutant(
        "small_letters",
        "names tidied up on the way",
        old="        result[name] = (kind, value)\n",
        new="        result[name.lower()] = (kind, value)\n",
        breaks="names",
    ),
    Mutant(
        "no_name_no_option",
        "`if name` for a loop that skips what it does not like",
        old='        kind = parameter["type"]\n',
        new='        if not name:\n            continue\n        kind = parameter["type"]\n',
        breaks="names",
    ),
    Mutant(
        "none_for_no_options",
        "an operator without options was not thought of",
        old="    return result\n",
        new="    return result or None\n",
        breaks="names",
    ),
    Mutant(
        "pairs_as_lists",
        "[type, value] is a pair as well, but no tuple",
        old="        result[name] = (kind, value)\n",
        new="        result[name] = [kind, value]\n",
        breaks="pair",
    ),
    Mutant(
        "null_as_text",
        "the word None, as the file has it",
        old="            result[name] = (kind, None)\n",
        new='            result[name] = (kind, "None")\n',
        breaks="null",
    ),
    Mutant(
        "complex_from_the_float_field",
        "10 and 11 (complex) read from the fields of floats, and half of each number is lost",
        old="        if kind not in FIELDS:\n",
        new=("        if kind == 10:\n            kind = FLOAT\n        if kind not in FIELDS:\n"),
        breaks="unknown",
    ),
    Mutant(
        "nothing_is_none",
        "`value or None`: False, 0 and empty lists vanish",
        old="        result[name] = (kind, value)\n",
        new="        result[name] = (kind, value or None)\n",
        breaks="value",
    ),
    Mutant(
        "bool_becomes_int",
        "bias=True becomes 1",
        old="        result[name] = (kind, value)\n",
        new="        result[name] = (kind, int(value) if kind == BOOL else value)\n",
        breaks="value",
    ),
    Mutant(
        "int_becomes_bool",
        "an int 0 or 1 taken for a bool",
        old="        result[name] = (kind, value)\n",
        new="        result[name] = (kind, bool(value) if kind == INT and value in (0, 1) else value)\n",
        breaks="value",
    ),
    Mutant(
        "tuples_for_lists",
        "copied as tuples: the layers that follow expect lists",
        old="            value = list(value)\n",
        new="            value = tuple(value)\n",
        breaks="copy",
    ),
    Mutant(
        "sorted_copies",
        "sorted(values) also makes a new list, in another order",
        old="            value = list(value)\n",
        new="            value = sorted(value)\n",
        breaks="copy",
    ),
    Mutant(
        "duplicates_lost",
        "a set on the way: kernel_size (3,3) becomes (3)",
        old="            value = list(value)\n",
        new="            value = list(dict.fromkeys(value))\n",
        breaks="copy",
    ),
    Mutant(
        "floats_rounded_to_ints",
        "whole floats become ints in lists",
        old="            value = list(value)\n",
        new=("            value = [int(v) if isinstance(v, float) and v.is_integer() else v for v in value]\n"),
        breaks="value",
    ),
    Mutant(
        "params_used_up",
        "pop takes the type out of params: a second conversion fails",
        old='        kind = parameter["type"]\n',
        new='        kind = parameter.pop("type")\n',
        breaks="unchanged",
    ),
    Mutant(
        "value_alone",
        "the type was forgotten in the result",
        old="        result[name] = (kind, value)\n",
        new="        result[name] = value\n",
        breaks="pair",
    ),
    Mutant(
        "arrays_with_the_type_of_one",
        "a list of ints called an int",
        old="            value = list(value)\n",
        new="            value, kind = list(value), kind - 3\n",
        breaks="pair",
    ),
]
