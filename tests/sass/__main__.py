"""Prints what the machine code of a workload's kernels takes and does."""

from __future__ import annotations

import argparse

import workloads
from acrobat.kernels.printers.cuda.tile import PRECISIONS
from tests.sass.report import launched_text, persistent_text


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.sass", description=__doc__)
    parser.add_argument("workload", choices=workloads.NAMES)
    parser.add_argument("--size", default="small")
    parser.add_argument("--arch", type=int, default=90)
    parser.add_argument("--precision", choices=PRECISIONS, default="fp32")
    arguments = parser.parse_args()
    for text in (persistent_text, launched_text):
        print(text(arguments.workload, arguments.size, arguments.arch, arguments.precision))


if __name__ == "__main__":
    main()
