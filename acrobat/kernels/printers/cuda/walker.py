"""All kernels of a program as one: a *walker*, which runs a whole schedule in one launch.

Its programs stay: there are as many as the GPU holds at once, and each goes through a table of
steps that the run-time has written (compiled.py has its layout). A step is one kernel over the
nodes of one batch, cut into tiles as a launch would be. Steps that do not read each other follow
without a barrier between them and share one numbering of their tiles, which are dealt to the
programs in turn: two batches of half a GPU each run side by side. Where a step reads what the ones
before it wrote, all programs meet first.

A variant of a kernel is a *kind* of step; specifications that differ in nothing but their names are
the same kind, and their weights come with the arguments. All kinds have the same number of warps.
Each kind is a function that is called: inlined, they take more than twice as long to compile, and
registers are short everywhere because they are in the largest.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...specification.spec import KernelSpec
from ..text import Text
from .emit import ALIGNED, HEADER, elementary, function, parameters, symbol
from .parts import split
from .tile import WALKER_WARPS, Precision, choose_tiles

# Kind 0 copies runs of floats (walking.py); the kernels' are numbered from 1 on.
COPY = 0

SYMBOL = "walker"
SIGNATURE = {"table": "*i64", "begin": "i32", "end": "i32"}

_PROGRAM = ("row_tile", "column_block")

_WALK = '''

@triton.jit
def walker(table, begin, end):
    """Steps [begin, end) of `table`; what steps before these wrote is there."""
    program, programs = tl.program_id(0), tl.num_programs(0)
    goal = programs.to(tl.int64)
    step = begin
    next_kind, next_waits, next_row_tiles, next_tiles, next_first, next_at = w.head(table, begin)
    while step < end:
        kind, waits, row_tiles = next_kind, next_waits, next_row_tiles
        tiles, first, at = next_tiles, next_first, next_at
        # The trip to the next head is on its way while the programs meet.
        next_kind, next_waits, next_row_tiles, next_tiles, next_first, next_at = w.head(
            table, tl.minimum(step + 1, end - 1)
        )
        if (waits != 0) & (step > begin):
            w.meet(table, goal)
            goal += programs
        # The programs take the tiles of steps without a barrier between them in turn.
        tile = (program + programs - first % programs) % programs
        if tile < tiles:
            arguments = table + at
'''


@dataclass(frozen=True, slots=True)
class WalkerSource:
    """Triton source of a walker: `text` defines the function `SYMBOL`. `kinds`: the numbers of a
    kernel's variants, by its name, in the order of `choose_tiles`."""

    text: str
    kinds: Mapping[str, Sequence[int]]


def write_walker(specs: Sequence[KernelSpec], precision: Precision, arch: int = 90) -> WalkerSource:
    """The walker of a program's kernels for compute capability `arch`. ValueError for an epilogue
    instruction that does not exist."""
    # From sm_100 on tensor cores have a memory of their own, which Triton allots in kernels only.
    called = precision == "fp32" or arch < 100
    kinds: dict[str, Sequence[int]] = {}
    known: dict[KernelSpec, list[int]] = {}
    texts: list[str] = []
    calls: list[str] = ["w.copy_runs(arguments, tile, tiles, programs)"]
    for spec in specs:
        nameless = dataclasses.replace(spec, name="")
        if nameless not in known:
            parts, known[nameless] = split(spec), []
            for tile in choose_tiles(parts.first, len(parts.specs), precision, WALKER_WARPS):
                known[nameless].append(len(calls))
                name = symbol(spec, tile)
                texts.append(function(spec, parts, tile, precision, _PROGRAM))
                texts.append(_step(name, spec, called))
                calls.append(f"walk_{name}(arguments, tile, tiles, row_tiles, programs)")
        kinds[spec.name] = known[nameless]
    text = Text()
    text.depth = 3
    _dispatch(text, calls, 0, len(calls))
    text.depth = 2
    text("step += 1")
    header = HEADER + "\nfrom acrobat.kernels.printers.cuda import walking as w\n"
    header += elementary(specs)
    return WalkerSource(header + "".join(texts) + _WALK + "\n".join(text.lines) + "\n", kinds)


def _step(name: str, spec: KernelSpec, called: bool) -> str:
    """The function that runs a program's tiles of a step, `called` or inlined."""
    text = Text()
    text(f"def walk_{name}(arguments, tile, tiles, row_tiles, programs):")
    text.depth = 1
    if called:
        # What the caller, or the function that it called before, still does in shared memory comes
        # first: Triton 3.6 looks for such conflicts within functions, and at a call only for those
        # with what the callee leaves behind (triton-lang/triton#11326). On the way back `meet`
        # begins with a barrier too, and the caller itself touches shared memory nowhere else.
        text("tl.debug_barrier()")
    text("while tile < tiles:")
    text.depth = 2
    # Anew for every tile: what is kept from tile to tile takes registers from the products.
    for n, p in enumerate(parameters(spec)):
        kind = "aligned" if p in ALIGNED else "number" if p == "rows" else "floats"
        kind = "numbers" if p.startswith("offsets") else kind
        text(f"{p} = w.{kind}(arguments, {n})")
    arguments = ", ".join(parameters(spec))
    text(f"{name}(tile % row_tiles, tile // row_tiles, {arguments})")
    text("tile += programs")
    how = "@triton.jit(noinline=True)" if called else "@triton.jit"
    return f"\n\n{how}\n" + "\n".join(text.lines) + "\n"


def _dispatch(text: Text, calls: Sequence[str], low: int, high: int) -> None:
    """Statements that call what is number `kind`, one of [low, high)."""
    if high - low == 1:
        text(calls[low])
        return
    middle = (low + high) // 2
    for line, part in ((f"if kind < {middle}:", (low, middle)), ("else:", (middle, high))):
        text(line)
        text.depth += 1
        _dispatch(text, calls, *part)
        text.depth -= 1
