"""The `acrobat` command."""

from __future__ import annotations

import argparse
import importlib.metadata
import io
import sys
from collections.abc import Sequence
from pathlib import Path

from .bench_command import RESULTS, UNNAMED, add_bench, run_bench, threads
from .cache_command import add_cache, run_cache
from .checkout import use_checkout
from .limits_command import add_limits, run_limits
from .tune_command import add_tune, run_tune


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="acrobat", description="ACRoBat, reproduced: measure, report, inspect."
    )
    parser.add_argument("--version", action="version", version=f"acrobat {_version()}")
    commands = parser.add_subparsers(dest="command", required=True)
    add_bench(commands.add_parser("bench", help="measure systems and write one row per point"))
    _add_report(commands.add_parser("report", help="tables and figures from measured rows"))
    _add_compare(commands.add_parser("compare", help="two sets of rows, before and after a change"))
    commands.add_parser("doctor", help="what this machine can run, and why not the rest")
    add_cache(commands.add_parser("cache", help="what the cache has; make it smaller"))
    explain = commands.add_parser("explain", help="what the compiler finds in a workload")
    explain.add_argument("workload")
    explain.add_argument("--size", default="small")
    explain.add_argument("--batch", type=int, help="how far so many instances are from their bound")
    _add_trace(commands.add_parser("trace", help="how a mini-batch of a workload becomes batches"))
    add_tune(commands.add_parser("tune", help="search for schedules of a workload's kernels"))
    add_limits(commands.add_parser("limits", help="how far kernels are from what the machine can"))
    args = parser.parse_args(argv)
    for stream in (sys.stdout, sys.stderr):
        # A name that the terminal cannot display must not end a measurement.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    handlers = {
        "bench": run_bench,
        "report": _report,
        "compare": _compare,
        "doctor": _doctor,
        "explain": _explain,
        "trace": _trace,
        "tune": run_tune,
        "limits": run_limits,
        "cache": run_cache,
    }
    try:
        if args.command not in ("doctor", "cache"):
            use_checkout()
        return handlers[args.command](args)
    except (ValueError, OSError) as error:
        print(f"acrobat {args.command}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        kept = "; the rows that are there are whole" if args.command == "bench" else ""
        print(f"acrobat {args.command}: interrupted{kept}", file=sys.stderr)
        return 130


def _version() -> str:
    try:
        return importlib.metadata.version("acrobat")
    except importlib.metadata.PackageNotFoundError:
        return "of a checkout that is not installed"


def _add_report(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", type=Path, help="the rows of this configuration, and no others")
    parser.add_argument("--rows", type=Path, nargs="+", help="or all rows in these folders")
    parser.add_argument("--out", type=Path, help="default: the folder of the configuration")
    parser.add_argument("--print", action="store_true", help="print the tables too")


def _report(args: argparse.Namespace) -> int:
    from plots.report import write_report

    if args.config:
        from harness.bench import cell_folder, key_of
        from harness.config import cells, load_config

        if args.rows:
            raise ValueError("--rows or --config, not both")
        config = load_config(args.config)
        out = args.out or RESULTS / config["name"]
        chosen = cells(config)
        rows = [p for p in (cell_folder(cell, out / "raw") for cell in chosen) if p.is_dir()]
        left = [key_of(c) for c in chosen if not cell_folder(c, out / "raw").is_dir()]
        if not rows:
            raise FileNotFoundError(f"{out / 'raw'}: no rows of {args.config}; measure first")
        if left:
            print(f"not measured: {', '.join(left)}", file=sys.stderr)
    else:
        out = args.out or RESULTS / UNNAMED
        rows = args.rows or [out / "raw"]
    written = write_report(rows, out)
    for path in written:
        if path.suffix == ".md" and args.print:
            print(path.read_text())
    for path in written:
        if path.suffix in (".md", ".png"):
            print(path)
    return 0


def _add_compare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("before", type=Path, help="a folder of rows")
    parser.add_argument("after", type=Path, help="another, of the same points")
    parser.add_argument("--system", default="acrobat", help="whose rows (default: acrobat's)")
    parser.add_argument(
        "--fail-above",
        type=_share,
        metavar="5%",
        help="exit with 1 if a point is slower by more, beyond noise, or has no result any more",
    )


def _share(text: str) -> float:
    try:
        found = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        found = -1.0
    if not 0 <= found < 100:
        raise argparse.ArgumentTypeError(f"{text!r}: write a share, such as 5% or 0.05")
    return found


def _compare(args: argparse.Namespace) -> int:
    from plots.compare import changes, compare_text

    found = changes(args.before, args.after, args.system)
    print(compare_text(found, args.fail_above), end="")
    bad = args.fail_above is not None and any(c.slower_than(args.fail_above) for c in found)
    return int(bad)


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

    from .compiler import compile

    workload = workloads.get(args.workload)
    workload.dims(args.size)
    source = find_source()
    fast = compile(workload.model, workload.make_params(args.size, 0, source))
    instances = args.batch and workload.make_instances(args.size, args.batch, 0, source)
    print(fast.explain(instances or None), end="")
    return 0


def _add_trace(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workload")
    parser.add_argument("--size", default="small")
    parser.add_argument("--batch", type=int, default=8, help="how many instances (default: 8)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=threads, default="all", help="a number, or 'all'")
    parser.add_argument(
        "-o",
        "--out",
        type=Path,
        default=Path("trace.html"),
        help="a .html or .svg, or a .json for ui.perfetto.dev (default: trace.html)",
    )


def _trace(args: argparse.Namespace) -> int:
    import workloads
    from workloads.data.source import find_source

    from .compiler import compile
    from .options import Options

    workload, source = workloads.get(args.workload), find_source()
    workload.dims(args.size)
    if args.batch < 1:
        raise ValueError(f"--batch {args.batch}: one instance is the least")
    options = Options() if args.threads == "all" else Options(threads=args.threads)
    params = workload.make_params(args.size, args.seed, source)
    fast = compile(workload.model, params, options=options)
    inputs = workload.make_instances(args.size, args.batch, args.seed, source)
    fast(inputs)  # allocates memory and starts threads before the trace
    trace = fast.trace(inputs)
    print(f"{trace.save(args.out)}: {trace.summary}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
