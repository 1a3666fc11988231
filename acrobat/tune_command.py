"""`acrobat tune`: search for schedules of a workload's kernels on this machine."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO


def add_tune(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
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
    """Run the command and return the exit code."""
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
    with progress_bar(sys.stderr) as show:
        done = tune(
            fast,
            *(workload.make_instances(args.size, n, args.seed, source) for n in args.batch),
            seconds=args.seconds,
            pgo=args.budget_by == "profile",
            save=not (args.dry_run or args.package),
            progress=show,
        )
    print(done)
    if args.package and done.entries:
        print(f"saved in {merge_into_package(done.entries, host_target())}")
    return 0


@contextmanager
def progress_bar(to: TextIO) -> Iterator[Callable[[float, str], None]]:
    """Show a progress bar on a terminal, nothing elsewhere. Yields a function that takes the
    progress, from 0 to 1, and what is being done."""
    from tqdm import tqdm

    form = "{percentage:3.0f}%|{bar:30}| {elapsed} {desc}"
    with tqdm(total=1.0, file=to, disable=None, bar_format=form) as bar:

        def show(done: float, what: str) -> None:
            bar.set_description_str(what, refresh=False)
            bar.update(done - bar.n)
            bar.refresh()

        yield show
