"""The `acrobat` command."""

from __future__ import annotations

import argparse
import importlib.metadata
import sys
from collections.abc import Sequence
from pathlib import Path

from .checkout import use_checkout


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="acrobat", description="ACRoBat, reproduced: measure, report, inspect."
    )
    parser.add_argument("--version", action="version", version=f"acrobat {_version()}")
    commands = parser.add_subparsers(dest="command", required=True)
    _add_bench(commands.add_parser("bench", help="measure systems and write one row per point"))
    _add_report(commands.add_parser("report", help="tables and figures from measured rows"))
    commands.add_parser("doctor", help="what this machine can run, and why not the rest")
    explain = commands.add_parser("explain", help="what the compiler finds in a workload")
    explain.add_argument("workload")
    explain.add_argument("--size", default="small")
    args = parser.parse_args(argv)
    handlers = {"bench": _bench, "report": _report, "doctor": _doctor, "explain": _explain}
    try:
        if args.command != "doctor":
            use_checkout()
        return handlers[args.command](args)
    except (ValueError, FileNotFoundError) as error:
        print(f"acrobat {args.command}: {error}", file=sys.stderr)
        return 2


def _version() -> str:
    try:
        return importlib.metadata.version("acrobat")
    except importlib.metadata.PackageNotFoundError:
        return "of a checkout that is not installed"


def _add_bench(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", type=Path, help="a configuration file; else the flags below")
    parser.add_argument("--only", help="one cell of the configuration: workload/size/bs8.t1")
    parser.add_argument("--missing", action="store_true", help="only rows that are not there")
    parser.add_argument("--without", nargs="+", default=[], help="leave out system[:variant]")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--workload", default="treelstm")
    parser.add_argument("--size", nargs="+", default=["small"])
    parser.add_argument("--batch", nargs="+", type=int, default=[8, 64])
    parser.add_argument("--threads", nargs="+", default=["1", "all"], help="a number, or 'all'")
    parser.add_argument(
        "--systems",
        nargs="+",
        default=["acrobat", "dynet", "torch_eager", "torch_batched", "floor"],
        help="system, or system:variant",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sst-dir", help="folder of the treebank, or 'generated'")
    parser.add_argument("--samples", type=int, default=20, help="at least so many per system")
    parser.add_argument("--seconds", type=float, default=2.0, help="at least so long per system")
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds for one answer")
    parser.add_argument("--out", type=Path, default=Path("results"))


def _bench(args: argparse.Namespace) -> int:
    import baselines
    import workloads
    from harness.bench import key_of, missing, run_cells, without
    from harness.cell import Cell, cores
    from harness.config import cells, load_config

    if args.config:
        chosen = cells(load_config(args.config))
        if args.only:
            names = [key_of(c) for c in chosen]
            chosen = [c for c in chosen if key_of(c) == args.only]
            if not chosen:
                raise ValueError(f"--only {args.only}: the cells are {', '.join(names)}")
    else:
        workload = workloads.get(args.workload)
        pairs: list[tuple[str, str]] = []
        for text in args.systems:
            system, _, variant = text.partition(":")
            pairs += [(system, v) for v in ([variant] if variant else baselines.variants(system))]
        threads = [cores() if t == "all" else int(t) for t in args.threads]
        if args.device == "cuda":
            threads = [1]
        for size in args.size:
            workload.dims(size)
        chosen = [
            Cell(
                workload=workload.name,
                size=size,
                batch=batch,
                threads=t,
                device=args.device,
                seed=args.seed,
                sst_dir=args.sst_dir,
                systems=tuple(pairs),
                min_samples=args.samples,
                min_seconds=args.seconds,
                timeout_s=args.timeout,
            )
            for size in args.size
            for batch in args.batch
            for t in dict.fromkeys(threads)
        ]
    chosen = [c for c in (without(cell, args.without) for cell in chosen) if c]
    if args.missing:
        chosen = [c for c in (missing(cell, args.out) for cell in chosen) if c]
    bad = run_cells(chosen, args.out, lambda line: print(line, flush=True))
    if bad:
        print(f"{bad} rows are not ok; their reason says why", flush=True)
    return 0


def _add_report(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", type=Path, default=Path("results/raw"))
    parser.add_argument("--out", type=Path, default=Path("results"))
    parser.add_argument("--print", action="store_true", help="print the tables too")


def _report(args: argparse.Namespace) -> int:
    from plots.report import write_report

    written = write_report(args.rows, args.out)
    for path in written:
        if path.suffix == ".md" and args.print:
            print(path.read_text())
    for path in written:
        if path.suffix in (".md", ".png"):
            print(path)
    return 0


def _doctor(args: argparse.Namespace) -> int:
    from .doctor import examine, verdict

    checks = examine()
    for check in checks:
        print(check.line())
    print(verdict(checks))
    return 0 if all(c.ok for c in checks if c.essential) else 1


def _explain(args: argparse.Namespace) -> int:
    import workloads
    from workloads.data.source import find_source

    from .compiler import CompiledModel, compile

    workload = workloads.get(args.workload)
    workload.dims(args.size)
    fast = compile(workload.model, workload.make_params(args.size, 0, find_source()))  # type: ignore[arg-type]
    assert isinstance(fast, CompiledModel)
    print(fast.explain(), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
