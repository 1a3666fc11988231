"""What mini-batches should take on a GPU: `python -m harness.gpu.predict`.

Every figure is predicted. Needs Triton, whose compiler makes the machine code that is counted, and
no GPU. `--probe` names the file that harness.gpu.probe wrote on one, whose constants replace the
assumed ones.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from tabulate import tabulate

import workloads

from .model.chip import CHIPS, Constants, constants_of
from .model.schedule import mini_batch
from .model.tile_cost import Costs, costs
from .model.times import Predicted, predict

HEADERS = ["workload", "size, batch", "GPU", "mode", "stages", "instructions, M", "MB",
           "meetings or launches", "trips", "tiles", "host", "us, predicted"]  # fmt: skip


def main(argv: Sequence[str] | None = None) -> None:
    """The command line: a Markdown table."""
    parser = argparse.ArgumentParser(prog="harness.gpu.predict", description=__doc__)
    parser.add_argument("--workloads", nargs="+", choices=workloads.ALL, default=workloads.NAMES)
    parser.add_argument("--sizes", nargs="+", default=["small"])
    parser.add_argument("--batches", nargs="+", type=int, default=[64])
    parser.add_argument("--gpus", nargs="+", choices=list(CHIPS), default=list(CHIPS))
    parser.add_argument("--modes", nargs="+", choices=["launches", "persistent"],
                        default=["launches", "persistent"])  # fmt: skip
    parser.add_argument("--probe", type=Path, help="constants that were measured")
    args = parser.parse_args(argv)
    constants = constants_of(args.probe) if args.probe else Constants()
    print(f"constants {'measured' if constants.measured else 'assumed'}: {constants}\n")
    rows = []
    for name in args.workloads:
        for size in args.sizes:
            known: dict[tuple[int, bool], Costs] = {}
            for number in args.batches:
                batch, specs = mini_batch(name, size, number)
                for gpu in args.gpus:
                    chip = CHIPS[gpu]
                    for mode in args.modes:
                        key = (chip.arch, mode == "persistent")
                        if key not in known:
                            known[key] = costs(specs, *key)
                        found = predict(batch, known[key], chip, constants)
                        rows.append([name, f"{size}, {number}", gpu, mode, *_row(found)])
    print(tabulate(rows, HEADERS, tablefmt="github", floatfmt=".0f"))


def _row(found: Predicted) -> list[object]:
    return [
        found.stages, f"{found.instructions:.1f}", f"{found.megabytes:.0f}", found.order,
        found.trips, found.tiles, found.host, found.total,
    ]  # fmt: skip


if __name__ == "__main__":
    main()
