"""`acrobat limits`: how far the kernels of a workload are from the machine's roofline."""

from __future__ import annotations

import argparse
from typing import Any

from . import roofline
from .options import Options

# Times are medians of this many runs.
_RUNS = 9


def add_limits(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("workload", nargs="+")
    parser.add_argument("--size", nargs="+", default=["small"])
    parser.add_argument(
        "--batch", nargs="+", type=int, default=[64], help="how many instances (default: 64)"
    )
    parser.add_argument("--threads", type=int, default=1, help="of the program (default: 1)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--weights",
        choices=["fp32", "bf16", "int8"],
        default="fp32",
        help="how kernels store them (default: fp32)",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="every number, as JSON")
    form.add_argument("--table", action="store_true", help="a line for each mini-batch, Markdown")


def run_limits(args: argparse.Namespace) -> int:
    """Run the command and return the exit code."""
    import workloads

    if min(args.batch) < 1:
        raise ValueError(f"--batch {min(args.batch)}: one instance is the least")
    cells = [
        (workloads.get(name), size, batch)
        for name in args.workload
        for size in args.size
        for batch in args.batch
    ]
    for workload, size, _ in cells:
        workload.dims(size)
    options = Options(threads=args.threads, weights=args.weights)
    machine = roofline.measure_machine(options.thread_count)
    found = {}
    for workload, size, batch in cells:
        limits = _limits(workload, size, batch, args.seed, options, machine)
        found[workload.name, size, batch] = limits
        if not args.table:
            print(
                (roofline.limits_json if args.json else roofline.limits_text)(machine, limits),
                end="",
                flush=True,
            )
    if args.table:
        print(roofline.limits_table(machine, found), end="")
    return 0


def _limits(
    workload: Any, size: str, batch: int, seed: int, options: Options, machine: roofline.Machine
) -> list[roofline.BlockLimit]:
    from workloads.data.source import find_source

    from .compiler import compile

    source = find_source()
    fast = compile(workload.model, workload.make_params(size, seed, source), "cpu", options)
    program: Any = fast.program
    inputs = program.convert(workload.make_instances(size, batch, seed, source))
    program.run(inputs)  # allocates memory and starts threads before the trace
    calls = [program.trace(inputs) for _ in range(_RUNS)]
    return roofline.find_limits(program.layout, calls, machine)
