"""Predict the time of mini-batches on a GPU: `python -m harness.gpu.predict`.

Every figure is predicted. Needs Triton, whose compiler produces the machine code that is analysed,
but no GPU. `--probe` names a file that harness.gpu.probe wrote on a GPU; its constants replace the
assumed ones. `--page docs/predicted.md` writes every cell of T3 to T5 as a page.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from tabulate import tabulate

import workloads
from workloads.data.source import find_source

from .model.chip import CHIPS, Constants, constants_of
from .model.on_chip import fits
from .model.schedule import mini_batch
from .model.tile_cost import Costs, costs
from .model.times import Predicted, predict

SIZES, BATCHES, MODES = ("small", "large"), (8, 64), ("launches", "persistent")
# One GPU of each kind that the model distinguishes.
GPUS = tuple(
    name for n, name in enumerate(CHIPS)
    if not any(replace(CHIPS[name], name="") == replace(c, name="")
               for c in list(CHIPS.values())[:n])
)  # fmt: skip
HEADERS = ["workload", "size, batch", "GPU", "mode", "stages", "instructions, M", "MB",
           "grid barriers or launches", "trips", "tiles", "host", "us, predicted"]  # fmt: skip
_ALIGNED = ["left"] * 4 + ["right"] * (len(HEADERS) - 4)

PAGE = """# Predicted times on GPUs

Every figure on this page is predicted by a [model](gpu.md#predicted); none has been measured.
`python -m harness.gpu.predict --page docs/predicted.md` writes it (Triton 3.7.1, no GPU needed).
With `--workloads` it renews the rows of these alone. Cells are those of tables T3 to T5, {trees}.
A schedule comes from a run on a CPU. Microseconds of a mini-batch in the columns from grid barriers
on; control flow and scheduling on the host are not in them."""


def cells(
    names: Sequence[str], sizes: Sequence[str], batches: Sequence[int], gpus: Sequence[str],
    modes: Sequence[str], constants: Constants, on_chip: bool = False,
) -> Iterator[list[object]]:  # fmt: skip
    """The rows of a table of these cells; with `on_chip` also rows for the kernel that is not built
    (model/on_chip.py)."""
    for name in names:
        for size in sizes:
            known: dict[tuple[str, str], Costs] = {}
            for number in batches:
                batch, specs = mini_batch(name, size, number)
                for gpu in gpus:
                    chip = CHIPS[gpu]
                    alike = [c.name for c in CHIPS.values() if replace(c, name=gpu) == chip]
                    for mode in modes:
                        if (gpu, mode) not in known:
                            known[gpu, mode] = costs(
                                specs, chip.arch, mode == "persistent", chip.processors
                            )
                        found = predict(batch, known[gpu, mode], chip, constants)
                        cell = [name, f"{size}, {number}", ", ".join(alike), mode]
                        yield [*cell, *_row(found)]
                        if on_chip and mode == "persistent" and fits(specs, chip):
                            found = predict(batch, known[gpu, mode], chip, constants, True)
                            yield [*cell[:-1], "weights on chip, not built", *_row(found)]


def table(rows: Sequence[Sequence[object]]) -> str:
    """The rows as a Markdown table."""
    return tabulate(rows, HEADERS, tablefmt="github", disable_numparse=True, colalign=_ALIGNED)


def write_page(path: Path, names: Sequence[str], constants: Constants) -> None:
    """Write every cell of T3 to T5 for the workloads `names`, both sizes and batches, on every GPU
    in both modes. The page's rows of other workloads stay."""
    rows: list[Sequence[object]] = [r for r in rows_of(path) if r[0] not in names]
    for name in names:
        for row in cells([name], SIZES, BATCHES, GPUS, MODES, constants):
            rows.append(row)
            print("predicted:", *row, file=sys.stderr, flush=True)
    rows.sort(key=lambda row: workloads.ALL.index(str(row[0])))  # stable within a workload
    page = PAGE.format(trees="of the treebank" if find_source().folder else "of generated trees")
    path.write_text(f"{page}\n\n{_said(constants)}\n\n{table(rows)}\n")


def rows_of(path: Path) -> list[list[str]]:
    """The rows of a page's table; none if the page does not exist."""
    lines = path.read_text().splitlines() if path.is_file() else []
    rows = [[c.strip() for c in line.strip("|").split("|")] for line in lines if line[:2] == "| "]
    return rows[1:]


def _said(constants: Constants) -> str:
    how = "measured by a probe" if constants.measured else "assumed"
    return (
        f"Constants, {how}: a scheduler with one warp issues in {constants.issue} of the cycles; a "
        f"trip {constants.trip}, a grid barrier {constants.grid_barrier}, a launch "
        f"{constants.launch}, an early one {constants.early}, a decision's way to the host and "
        f"back {constants.host} microseconds."
    )


def main(argv: Sequence[str] | None = None) -> None:
    """The command line: a Markdown table, or a page."""
    parser = argparse.ArgumentParser(prog="harness.gpu.predict", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--workloads", nargs="+", choices=workloads.ALL, default=workloads.NAMES)
    parser.add_argument("--sizes", nargs="+", default=["small"])
    parser.add_argument("--batches", nargs="+", type=int, default=[64])
    parser.add_argument("--gpus", nargs="+", choices=list(CHIPS), default=GPUS)
    parser.add_argument("--modes", nargs="+", choices=MODES, default=MODES)
    parser.add_argument("--probe", type=Path, help="constants that were measured")
    parser.add_argument("--on-chip", action="store_true", help="also weights on chip: not built")
    parser.add_argument("--page", type=Path, help="write all sizes, batches, GPUs and modes here")
    args = parser.parse_args(argv)
    constants = constants_of(args.probe) if args.probe else Constants()
    if args.page:
        write_page(args.page, args.workloads, constants)
        return
    print(f"{_said(constants)}\n")
    rows = cells(
        args.workloads, args.sizes, args.batches, args.gpus, args.modes, constants, args.on_chip
    )
    print(table(list(rows)))


def _row(found: Predicted) -> list[object]:
    times = (found.order, found.trips, found.tiles, found.host, found.total)
    return [
        found.stages, f"{found.instructions:.1f}", f"{found.megabytes:.0f}",
        *(f"{us:.0f}" for us in times),
    ]  # fmt: skip


if __name__ == "__main__":
    main()
