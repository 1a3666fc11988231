"""The `acrobat` command."""

from __future__ import annotations

import argparse
import importlib.metadata
import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .cache_command import add_cache, run_cache
from .checkout import use_checkout
from .limits_command import add_limits, run_limits
from .tune_command import add_tune, run_tune

# Results of a configuration lie in the folder of its name below this one; those of `acrobat bench`
# with flags under the second name.
RESULTS, UNNAMED = Path("results"), "bench"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="acrobat", description="ACRoBat, reproduced: measure, report, inspect."
    )
    parser.add_argument("--version", action="version", version=f"acrobat {_version()}")
    commands = parser.add_subparsers(dest="command", required=True)
    _add_bench(commands.add_parser("bench", help="measure systems and write one row per point"))
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
        # A terminal that cannot show a name is no reason to end a measurement.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    handlers = {
        "bench": _bench,
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


def _add_bench(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", type=Path, help="a configuration file; else the flags below")
    parser.add_argument("--cell", help="a configuration of one cell, as JSON: the pipeline's")
    parser.add_argument("--only", help="one cell of the configuration: workload/size/bs8.t1")
    parser.add_argument("--missing", action="store_true", help="only rows that are not there")
    parser.add_argument("--without", nargs="+", default=[], help="leave out system[:variant]")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--workload", default="treelstm")
    parser.add_argument("--size", nargs="+", default=["small"])
    parser.add_argument("--batch", nargs="+", type=int, default=[8, 64])
    parser.add_argument(
        "--threads", nargs="+", type=_threads, default=[1, "all"], help="a number, or 'all'"
    )
    parser.add_argument(
        "--systems",
        nargs="+",
        help="system, or system:variant (default: those that need no build and no compilation)",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sst-dir", help="folder of the treebank, or 'generated'")
    parser.add_argument("--samples", type=int, default=20, help="at least so many per system")
    parser.add_argument("--seconds", type=float, default=2.0, help="at least so long per system")
    parser.add_argument(
        "--noisy-seconds",
        type=float,
        default=5.0,
        help="more per cell while a row may be unstable (a configuration has its own)",
    )
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds for one answer")
    parser.add_argument(
        "--out",
        type=Path,
        help="rows go to OUT/raw (default: results/<configuration>)",
    )


def _threads(text: str) -> int | str:
    if text == "all" or (text.isdigit() and int(text) > 0):
        return text if text == "all" else int(text)
    raise argparse.ArgumentTypeError(f"{text!r}: write a number from 1, or 'all'")


def _bench(args: argparse.Namespace) -> int:
    from harness.bench import key_of, missing, run_cells, run_whole, without
    from harness.config import cells, load_config, validate
    from harness.files import only_one
    from harness.json_text import parse
    from harness.tied import end_orderly, run_token

    def say(line: str) -> None:
        print(line, flush=True)

    if args.config:
        config = load_config(args.config)
    else:
        config = parse(args.cell) if args.cell else _config_of(args)
        validate(config)
    out = args.out or RESULTS / config.get("name", UNNAMED)
    chosen = cells(config)
    if args.only:
        names = [key_of(c) for c in chosen]
        chosen = [c for c in chosen if key_of(c) == args.only]
        if not chosen:
            raise ValueError(f"--only {args.only}: the cells are {', '.join(names)}")
    chosen = [c for c in (without(cell, args.without) for cell in chosen) if c]
    if args.missing:
        chosen = [c for c in (missing(cell, out, say) for cell in chosen) if c]
    end_orderly()
    run_token()
    if args.cell:
        for cell in chosen:
            run_whole(cell, out, config, say)
        return 0
    with only_one(out, "rows"):
        run_cells(chosen, out, say)
    return 0


def _config_of(args: argparse.Namespace) -> dict[str, Any]:
    """The configuration that the flags of `acrobat bench` describe."""
    import baselines
    import workloads
    from harness.config import check_variant
    from harness.row import TOLERANCE

    systems: dict[str, list[str]] = {}
    default = [name for name, record in baselines.records().items() if record.default]
    for text in args.systems or default:
        system, _, variant = text.partition(":")
        for name in [variant] if variant else baselines.variants(system):
            check_variant("--systems", system, name)
            systems.setdefault(system, []).append(name)
    workload = workloads.get(args.workload)
    for size in args.size:
        workload.dims(size)
    entry = {
        "workload": workload.name,
        "sizes": args.size,
        "batches": args.batch,
        "threads": [1] if args.device == "cuda" else args.threads,
    }
    config = {
        "device": args.device,
        "seed": args.seed,
        "samples": args.samples,
        "min_seconds": args.seconds,
        "noisy_seconds": args.noisy_seconds,
        "timeout_s": args.timeout,
        "tolerance": TOLERANCE,
        "systems": systems,
        "measure": [entry],
    }
    return {**config, "sst_dir": args.sst_dir} if args.sst_dir else config


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
    parser.add_argument("--threads", type=_threads, default="all", help="a number, or 'all'")
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
    fast(inputs)  # memory and threads are there, then
    trace = fast.trace(inputs)
    print(f"{trace.save(args.out)}: {trace.summary}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
