"""A kernel specification as Triton source: one function per variant.

The text is a complete Python module: the compiler reads it, Triton's interpreter runs it, and
people can see what it does. Elementary functions come first (`functions.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...specification.spec import KernelSpec
from ..text import Text
from .address import LAUNCHED, Address
from .contraction import contraction
from .functions import write_functions
from .parts import Parts
from .products import write_helpers
from .row_kernel import row_kernel
from .tile import Precision, Tile

HEADER = """import triton
import triton.language as tl
"""


def symbol(spec: KernelSpec, tile: Tile) -> str:
    """The name of a variant's function, which becomes the symbol in the cubin."""
    return f"{spec.name}_r{tile.rows}"


# The architecture from which on a kernel may begin before the previous one in its stream has ended
# (programmatic dependent launch). A kernel lets the next one begin at once. That one gets a
# multiprocessor when all programs of the first have theirs, loads its offsets, which the host
# wrote, and waits before it touches anything that kernels write.
EARLY_ARCH = 90
_EARLY = "from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait\n"


def kernel_source(
    spec: KernelSpec, parts: Parts, tile: Tile, precision: Precision, early: bool = False
) -> str:
    """Triton source of a variant, with programmatic dependent launch if `early`. ValueError for an
    unknown epilogue instruction."""
    header = HEADER + (_EARLY if early else "") + elementary([spec])
    if spec.gates:
        header += write_helpers([(len(parts.first.gates), tile)], precision)
    dependence = Dependence("gdc_launch_dependents()", "gdc_wait()") if early else Dependence()
    return header + function(spec, parts, tile, precision, dependence=dependence)


@dataclass(frozen=True, slots=True)
class Dependence:
    """How a kernel waits for the kernels whose results it reads, as statements: `begin`, at its
    beginning, and `wait`, after it has loaded offsets and before it loads anything that kernels
    wrote; `parameters` are those that the statements use."""

    begin: str = ""
    wait: str = ""
    parameters: tuple[str, ...] = ()


def elementary(specs: Iterable[KernelSpec]) -> str:
    """The elementary functions that kernels of `specs` call."""
    return write_functions(i.fn for s in specs for i in s.epilogue)


def function(
    spec: KernelSpec,
    parts: Parts,
    tile: Tile,
    precision: Precision,
    program: tuple[str, str] = LAUNCHED,
    dependence: Dependence | None = None,
) -> str:
    """The function of a variant for one tile. `program`: the coordinates of the tile; unless they
    are the launch's, they are parameters, before those of `dependence` and the others."""
    text, dependence = Text(), dependence or Dependence()
    own = [] if program == LAUNCHED else [*program, *dependence.parameters]
    text(f"def {symbol(spec, tile)}({', '.join([*own, *parameters(spec)])}):")
    text.depth = 1
    text(f'"""{_summary(parts, tile)}"""')
    if dependence.begin:
        text(dependence.begin)
    address = Address(parts.first, tile, program)
    if spec.gates:
        contraction(text, address, parts, tile, precision, dependence.wait)
    else:
        row_kernel(text, address, parts, tile, dependence.wait)
    return "\n\n@triton.jit\n" + "\n".join(text.lines) + "\n"


# Memory that the run-time allocates is aligned to 16 bytes; operands may begin anywhere.
ALIGNED = ("record", "scratch", "weights", "vectors")


def parameters(spec: KernelSpec) -> list[str]:
    """The parameters of every variant, in the order that compiled.py promises."""
    names = ["record", "scratch", "rows", "weights", "vectors"]
    for i in spec.indexed:
        names += [f"base{i}", f"offsets{i}"]
    return names


def signature(spec: KernelSpec) -> dict[str, str]:
    """The types of the parameters, for Triton."""
    return {
        name: "i32" if name == "rows" else "*i32" if name.startswith("offsets") else "*fp32"
        for name in parameters(spec)
    }


def _summary(parts: Parts, tile: Tile) -> str:
    spec, count = parts.first, len(parts.specs)
    made_of = f"{count} parts of {spec.width} columns" if count > 1 else f"{spec.width} columns"
    depth = f", k by {tile.depth}" if tile.depth else ""
    return f"{made_of}; a program takes {tile.rows} rows x {tile.columns} columns{depth}."
