"""`acrobat bench`: measure systems and write one row per point."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

# The results of a configuration are in a subfolder of RESULTS with its name; those of `acrobat
# bench` with flags instead of a configuration are in the subfolder UNNAMED.
RESULTS, UNNAMED = Path("results"), "bench"


def add_bench(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
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
        "--threads", nargs="+", type=threads, default=[1, "all"], help="a number, or 'all'"
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


def threads(text: str) -> int | str:
    """Parse a number of threads, or 'all', given by a flag."""
    if text == "all" or (text.isdigit() and int(text) > 0):
        return text if text == "all" else int(text)
    raise argparse.ArgumentTypeError(f"{text!r}: write a number from 1, or 'all'")


def run_bench(args: argparse.Namespace) -> int:
    """Run the command and return the exit code."""
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
