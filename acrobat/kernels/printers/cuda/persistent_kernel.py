"""All kernels of a program as one *persistent kernel*, which runs a whole schedule in one launch.

There are as many thread blocks (Triton's *programs*) as the GPU holds at once, and each goes
through a table of steps that the run-time has written (compiled.py has its layout). A step is one
kernel over the nodes of one batch, divided into tiles as a launch would be. Steps that do not read
each other's results have no grid barrier between them, and their tiles are numbered consecutively;
tiles go to the programs round-robin, so that two batches of half a GPU each run side by side. Where
a step reads what earlier ones wrote, a grid barrier comes first. It has two halves: a program
arrives, loads arguments and offsets, which the host wrote, and then waits for the others.

A variant of a kernel is a *kind* of step; specifications that differ only in their names are the
same kind, and their weights come with the arguments. All kinds have the same number of warps. Each
kind is a function that is called: inlined, the kinds would take more than twice as long to compile,
and the register shortage of the largest would affect all of them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...specification.spec import KernelSpec
from ..text import Text
from .emit import ALIGNED, HEADER, Dependence, elementary, function, parameters, symbol
from .parts import split
from .products import write_helpers
from .tile import PERSISTENT_WARPS, Precision, Tile, for_two
from .tile_choice import choose_tiles

# Kind 0 copies runs of floats (device_functions.py); the kinds of kernels are numbered from 1 on.
COPY = 0

SYMBOL = "persistent_kernel"
SIGNATURE = {"table": "*i64", "begin": "i32", "end": "i32"}

_TILES = "arguments, tile, tiles, row_tiles, programs"
_PROGRAM = ("row_tile", "column_block")
# The statement that comes before the first load of what other steps wrote.
_DEPENDENCE = Dependence("", "d.await_others(table, goal)", ("table", "goal"))

_MAIN = '''

@triton.jit
def persistent_kernel(table, begin, end):
    """Steps [begin, end) of `table`; what steps before these wrote is there."""
    program, programs = tl.program_id(0), tl.num_programs(0)
    goal = tl.zeros((), tl.int64)
    step = begin
    next_kind, next_waits, next_row_tiles, next_tiles, next_first, next_at = d.head(table, begin)
    while step < end:
        kind, waits, row_tiles = next_kind, next_waits, next_row_tiles
        tiles, first, at = next_tiles, next_first, next_at
        # The next head is loaded while the programs wait.
        next_kind, next_waits, next_row_tiles, next_tiles, next_first, next_at = d.head(
            table, tl.minimum(step + 1, end - 1)
        )
        waited = goal * 0
        if (waits != 0) & (step > begin):
            d.arrive(table)
            goal += programs
            waited = goal
        # Tiles of steps without a grid barrier between them go to the programs round-robin.
        tile = (program + programs - first % programs) % programs
        if tile >= tiles:
            d.await_others(table, waited)
        else:
            arguments = table + at
'''


@dataclass(frozen=True, slots=True)
class PersistentSource:
    """Triton source of a persistent kernel: `text` defines the function `SYMBOL`. `kinds`: the
    numbers of a kernel's variants, by its name, in the order of `choose_tiles`."""

    text: str
    kinds: Mapping[str, Sequence[int]]


def write_persistent_kernel(
    specs: Sequence[KernelSpec], precision: Precision, arch: int = 90
) -> PersistentSource:
    """All kernels of a program as one, for compute capability `arch`. ValueError for an unknown
    epilogue instruction."""
    # From sm_100 on, tensor cores have their own memory, which Triton allocates only in kernels.
    called = precision == "fp32" or arch < 100
    kinds: dict[str, Sequence[int]] = {}
    known: dict[KernelSpec, list[int]] = {}
    texts: list[str] = []
    used: list[tuple[int, Tile]] = []
    calls: list[str] = ["d.copy_runs(table, waited, arguments, tile, tiles, programs)"]
    for spec in specs:
        nameless = dataclasses.replace(spec, name="")
        if nameless not in known:
            parts, known[nameless] = split(spec), []
            for tile in choose_tiles(parts.first, len(parts.specs), precision, PERSISTENT_WARPS):
                known[nameless].append(len(calls))
                name = symbol(spec, tile)
                own = for_two(parts.first, tile, arch)
                if parts.first.gates:
                    used.append((len(parts.first.gates), own))
                texts.append(function(spec, parts, own, precision, _PROGRAM, _DEPENDENCE))
                texts.append(_step(name, spec, called))
                calls.append(f"step_{name}(table, waited, {_TILES})")
        kinds[spec.name] = known[nameless]
    text = Text()
    text.depth = 3
    _dispatch(text, calls, 0, len(calls))
    text.depth = 2
    text("step += 1")
    header = HEADER + "\nfrom acrobat.kernels.printers.cuda import device_functions as d\n"
    header += elementary(specs) + write_helpers(used, precision)
    return PersistentSource(header + "".join(texts) + _MAIN + "\n".join(text.lines) + "\n", kinds)


def _step(name: str, spec: KernelSpec, called: bool) -> str:
    """The function that runs a program's tiles of a step, `called` or inlined."""
    text = Text()
    text(f"def step_{name}(table, goal, {_TILES}):")
    text.depth = 1
    if called:
        # Wait until the caller, and the function that it called before, have finished with shared
        # memory: Triton 3.6 finds such conflicts within functions, but at a call only those with
        # accesses that the callee leaves pending (triton-lang/triton#11326). After the return,
        # `arrive` begins with a CTA barrier too, and the caller uses shared memory nowhere else.
        text("tl.debug_barrier()")
    text("while tile < tiles:")
    text.depth = 2
    # Loaded for every tile: values kept from tile to tile would take registers from the products.
    for n, p in enumerate(parameters(spec)):
        kind = "aligned" if p in ALIGNED else "number" if p == "rows" else "floats"
        kind = "numbers" if p.startswith("offsets") else kind
        text(f"{p} = d.{kind}(arguments, {n})")
    arguments = ", ".join([*_DEPENDENCE.parameters, *parameters(spec)])
    text(f"{name}(tile % row_tiles, tile // row_tiles, {arguments})")
    text("goal = goal * 0")  # later tiles have nothing to wait for
    text("tile += programs")
    how = "@triton.jit(noinline=True)" if called else "@triton.jit"
    return f"\n\n{how}\n" + "\n".join(text.lines) + "\n"


def _dispatch(text: Text, calls: Sequence[str], low: int, high: int) -> None:
    """Statements that make the call number `kind`, which is in [low, high)."""
    if high - low == 1:
        text(calls[low])
        return
    middle = (low + high) // 2
    for line, part in ((f"if kind < {middle}:", (low, middle)), ("else:", (middle, high))):
        text(line)
        text.depth += 1
        _dispatch(text, calls, *part)
        text.depth -= 1
