"""`python -m harness.gpu --out DIR --minutes N`: look, test, build, measure, sum up.

What was done or measured below `--out` is not repeated: the command may be given again, also on
another machine with the folder brought along.
"""

from __future__ import annotations

import argparse
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path

from acrobat.errors import DeviceError
from acrobat.runtime.gpu import find_gpu
from harness.config import ConfigError, cells, load_config
from harness.environment import ROOT

from .budget import Runner
from .steps import measurement, preparation
from .summary import failures, table

CONFIG = ROOT / "config" / "gpu.yaml"


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code: 0, 1 if a step before the measurement failed, 2 if
    there is no GPU or the configuration is wrong."""
    parser = argparse.ArgumentParser(prog="harness.gpu", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder of rows, logs, summary")
    parser.add_argument("--minutes", type=float, required=True, help="for everything")
    parser.add_argument("--config", type=Path, default=CONFIG)
    parser.add_argument("--only", choices=["prepare", "measure"], help="one half of it")
    parser.add_argument("--again", action="store_true", help="do and measure what is there too")
    parser.add_argument("--archive", type=Path, help="also write the folder as this tar.gz file")
    args = parser.parse_args(argv)
    # The steps run in the project's folder.
    args.out, args.config = args.out.resolve(), args.config.resolve()
    try:
        gpu = find_gpu()
        chosen = cells(load_config(args.config))
    except (DeviceError, ConfigError, FileNotFoundError) as error:
        print(f"harness.gpu: {error}", file=sys.stderr)
        return 2
    args.out.mkdir(parents=True, exist_ok=True)
    with (args.out / "log.txt").open("a") as log:

        def say(line: str) -> None:
            print(line, flush=True)
            print(line, file=log, flush=True)

        say(f"{gpu.name}, sm_{gpu.arch}: {args.minutes:g} minutes")
        runner = Runner(args.out, 60 * args.minutes, say, args.again)
        if args.only != "measure":
            runner.steps(preparation(f"sm_{gpu.arch}"))
        failed = failures(runner.outcomes)
        if args.only != "prepare":
            runner.steps(measurement(args.config, chosen, args.out, args.again))
        lines = [*table(chosen, args.out / "raw"), "", *failures(runner.outcomes)]
        (args.out / "summary.md").write_text("\n".join(lines) + "\n")
        for line in lines:
            say(line)
    if args.archive:
        args.archive.parent.mkdir(parents=True, exist_ok=True)
        with tarfile.open(args.archive, "w:gz") as tar:
            tar.add(args.out, arcname=".")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
