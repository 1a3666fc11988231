"""`acrobat limits`: how far the kernels of a workload are from the machine's roofline."""

from __future__ import annotations

import argparse
from typing import Any

# Runs that the times are the median of.
_RUNS = 9


def add_limits(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("workload")
    parser.add_argument("--size", default="small")
    parser.add_argument("--batch", type=int, default=64, help="how many instances (default: 64)")
    parser.add_argument("--threads", type=int, default=1, help="of the program (default: 1)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--weights",
        choices=["fp32", "bf16", "int8"],
        default="fp32",
        help="how kernels store them (default: fp32)",
    )
    parser.add_argument("--json", action="store_true", help="every number, as JSON")


def run_limits(args: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    import workloads
    from workloads.data.source import find_source

    from .compiler import compile
    from .options import Options
    from .roofline import find_limits, limits_json, limits_text, measure_machine

    workload, source = workloads.get(args.workload), find_source()
    workload.dims(args.size)
    if args.batch < 1:
        raise ValueError(f"--batch {args.batch}: one instance is the least")
    params = workload.make_params(args.size, args.seed, source)
    options = Options(threads=args.threads, weights=args.weights)
    fast = compile(workload.model, params, "cpu", options)
    program: Any = fast.program
    inputs = program.convert(workload.make_instances(args.size, args.batch, args.seed, source))
    program.run(inputs)  # memory and threads are there, then
    calls = [program.trace(inputs) for _ in range(_RUNS)]
    machine = measure_machine(options.thread_count)
    limits = find_limits(program.layout, calls, machine)
    print((limits_json if args.json else limits_text)(machine, limits), end="")
    return 0
