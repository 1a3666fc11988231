"""`acrobat tune`: search for schedules of a workload's kernels on this machine."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, field
from typing import TextIO

_WIDTH = 30


def add_tune(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("workload")
    parser.add_argument("--size", default="small")
    parser.add_argument("--batch", nargs="+", type=int, default=[8, 64], help="mini-batches")
    parser.add_argument("--seconds", type=float, default=60.0, help="about how long (default: 60)")
    parser.add_argument("--threads", type=int, default=1, help="of the program (default: 1)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--weights",
        choices=["fp32", "bf16", "int8"],
        default="fp32",
        help="how kernels store them (default: fp32)",
    )
    parser.add_argument(
        "--budget-by",
        choices=["profile", "even"],
        default="profile",
        help="time goes to kernels by their share of the mini-batches' time, or the same to each",
    )
    saving = parser.add_mutually_exclusive_group()
    saving.add_argument("--dry-run", action="store_true", help="save nothing")
    saving.add_argument(
        "--package", action="store_true", help="save among the package's schedules, to be committed"
    )


def run_tune(args: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    import workloads
    from workloads.data.source import find_source

    from .compiler import compile
    from .kernels.printers.cpu.target import host_target
    from .kernels.schedules import merge_into_package
    from .options import Options
    from .tuning import tune

    workload, source = workloads.get(args.workload), find_source()
    workload.dims(args.size)
    if min(args.batch) < 1:
        raise ValueError(f"--batch {min(args.batch)}: one instance is the least")
    params = workload.make_params(args.size, args.seed, source)
    options = Options(threads=args.threads, weights=args.weights)
    fast = compile(workload.model, params, "cpu", options)
    bar = Bar(sys.stderr)
    done = tune(
        fast,
        *(workload.make_instances(args.size, n, args.seed, source) for n in args.batch),
        seconds=args.seconds,
        pgo=args.budget_by == "profile",
        save=not (args.dry_run or args.package),
        progress=bar.show,
    )
    bar.end()
    print(done)
    if args.package and done.entries:
        print(f"saved in {merge_into_package(done.entries, host_target())}")
    return 0


@dataclass(slots=True)
class Bar:
    """How far something is, on one line of a terminal; elsewhere a line for each thing that is
    begun."""

    to: TextIO
    _last: str = field(default="", init=False)

    def show(self, done: float, what: str) -> None:
        """`done`: from 0 to 1."""
        if self.to.isatty():
            full = round(done * _WIDTH)
            bar = "#" * full + "." * (_WIDTH - full)
            print(f"\r[{bar}] {done:4.0%} {what:<40.40}", end="", file=self.to, flush=True)
        elif what != self._last:
            print(f"{done:4.0%} {what}", file=self.to, flush=True)
        self._last = what

    def end(self) -> None:
        """What comes next begins a line of its own."""
        if self.to.isatty():
            print(file=self.to, flush=True)
