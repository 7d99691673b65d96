"""Targets: the processors that machine code is made for, and how large a tile of sums their registers hold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from kuiper.compiled.llvm import binding

LEVEL2 = 512 << 10
"""Bytes of a core's second-level cache where nothing says how large it is: few have less."""
CACHES = Path("/sys/devices/system/cpu/cpu0/cache")


@dataclass(frozen=True)
class Target:
    """A processor.

    triple, cpu, features : as LLVM writes them.
    lanes : numbers of float32 in a vector register.
    registers : how many of them there are.
    sums : (rows, vectors) that products keep in registers, to try out; None: as `tile` finds best.
    level2 : bytes of a core's second-level cache.
    """

    triple: str
    cpu: str
    features: str
    lanes: int
    registers: int
    sums: tuple[int, int] | None = None
    level2: int = LEVEL2

    def machine(self) -> Any:
        """LLVM's code generator for it."""
        llvm = binding()
        target = llvm.Target.from_triple(self.triple)
        return target.create_target_machine(cpu=self.cpu, features=self.features, opt=3, codemodel="jitdefault")

    @property
    def byte_dots(self) -> Literal["", "maddubs", "vnni", "sdot"]:
        """What adds up four products of 8-bit integers in every lane of 32 bits; "": nothing that is known here.

        >>> NAMED["avx2"].byte_dots, NAMED["avx512vnni"].byte_dots, NAMED["neon"].byte_dots
        ('maddubs', 'vnni', '')
        """
        have = {name[1:] for name in self.features.split(",") if name.startswith("+")}
        if self.lanes == 4:
            return "sdot" if "dotprod" in have else ""
        if {16: "avx512vnni", 8: "avxvnni"}[self.lanes] in have:
            return "vnni"
        return "maddubs" if self.lanes == 8 or "avx512bw" in have else ""

    def rounded(self, count: int) -> int:
        """So many numbers, rounded up to whole vectors.

        >>> NAMED["avx2"].rounded(8), NAMED["avx2"].rounded(9)
        (8, 16)
        """
        return -(-count // self.lanes) * self.lanes

    def tile(self, vectors: int) -> tuple[int, int]:
        """(rows, vectors) of the sums that a product keeps in registers, with at most so many vectors side by side.

        Each step of the product loads the vectors of weights once, and one number of every row: the more sums there
        are for these loads, the better. One register is left for the number. `sums` is no subject to `vectors`, but
        for a single one.

        >>> Target("", "", "", 16, 32).tile(2), Target("", "", "", 8, 16).tile(2), Target("", "", "", 16, 32).tile(1)
        ((14, 2), (6, 2), (14, 1))
        >>> Target("", "", "", 16, 32, sums=(5, 5)).tile(2)
        (5, 5)
        """
        if self.sums is not None and vectors > 1:
            return self.sums
        vectors = min(vectors, 2)
        return min((self.registers - vectors - 1) // vectors, MOST_ROWS), vectors


MOST_ROWS = 14
"""Of a tile: the widths of most networks' images are multiples of 7, and what follows the product needs registers."""

AVX512 = ("x86_64-unknown-linux-gnu", "skylake-avx512", "+avx512f,+avx512vl,+avx512dq,+avx512bw,+fma", 16, 32)
AVX2 = ("x86_64-unknown-linux-gnu", "haswell", "+avx2,+fma", 8, 16)
NEON = ("aarch64-unknown-linux-gnu", "cortex-a72", "+neon", 4, 32)
NAMED = {
    "avx512": Target(*AVX512),
    "avx512vnni": Target(AVX512[0], "cascadelake", f"{AVX512[2]},+avx512vnni", 16, 32),
    "avx2": Target(*AVX2),
    "avxvnni": Target(AVX2[0], "alderlake", f"{AVX2[2]},+avxvnni", 8, 16),
    "neon": Target(*NEON),
    "dotprod": Target(NEON[0], "neoverse-n1", f"{NEON[2]},+dotprod", 4, 32),
}


@cache
def host() -> Target | None:
    """The processor that this runs on; None for one whose vectors are not known here."""
    llvm = binding()
    triple = llvm.get_process_triple()
    features = llvm.get_host_cpu_features()
    text = features.flatten()
    cpu = llvm.get_host_cpu_name()
    if triple.startswith(("aarch64", "arm64")):
        return Target(triple, cpu, text, 4, 32, level2=_level2())
    if not triple.startswith(("x86_64", "amd64")) or not (features.get("avx2") and features.get("fma")):
        return None
    if features.get("avx512f") and features.get("avx512vl"):
        return Target(triple, cpu, text, 16, 32, level2=_level2())
    return Target(triple, cpu, text, 8, 16, level2=_level2())


def _level2() -> int:
    """Bytes of a core's second-level cache where Linux tells, or LEVEL2."""
    for one in sorted(CACHES.glob("index*")):
        try:
            level, size = ((one / name).read_text().strip() for name in ("level", "size"))
        except OSError:
            continue
        if level == "2" and size[:-1].isdigit() and size[-1] in "KM":
            return int(size[:-1]) << (10 if size[-1] == "K" else 20)
    return LEVEL2
