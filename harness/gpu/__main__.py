"""`python -m harness.gpu --out DIR --minutes N`: look, build, check, measure, test, summarise.

Steps and measurements already recorded below `--out` are not repeated: the command can be run
again, also on another machine with a copy of the folder.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from acrobat.errors import DeviceError
from acrobat.runtime.gpu import find_gpu
from harness.cell import Cell
from harness.config import cells, load_config
from harness.config_file import ConfigError
from harness.environment import ROOT

from .budget import Runner
from .pack import use_pack
from .steps import (
    BARRIERS,
    PERSISTENT,
    looks,
    measurement,
    native,
    persistent_checks,
    preparation,
    probes,
    tests,
)
from .summary import archive, failures, write_summary

# First the systems to be compared, then the other systems and variants.
CONFIGS = (ROOT / "config" / "gpu.yaml", ROOT / "config" / "gpu_more.yaml")
# The toolkit's usual folder, appended to the path.
TOOLKIT = Path("/usr/local/cuda/bin")


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code: 0, 1 if a step other than a measurement failed, 2 if
    there is no GPU or the configuration is wrong."""
    parser = argparse.ArgumentParser(prog="harness.gpu", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder of rows, logs, summary")
    parser.add_argument("--minutes", type=float, required=True, help="for everything")
    parser.add_argument("--config", type=Path, nargs="+", default=CONFIGS, help="in this order")
    parser.add_argument("--only", choices=["prepare", "measure", "test"], help="a part of it")
    parser.add_argument("--again", action="store_true", help="do and measure what is there too")
    parser.add_argument("--pack", type=Path, help="what harness.gpu.pack made, to begin with")
    parser.add_argument("--archive", type=Path, help="keep the folder in this tar.gz file too")
    args = parser.parse_args(argv)
    # The steps run in the project's folder, so paths must be absolute.
    out, configs = args.out.resolve(), [config.resolve() for config in args.config]
    try:
        gpu = find_gpu()
        chosen = [(config, cells(load_config(config))) for config in configs]
        if args.pack and not args.pack.exists():
            raise FileNotFoundError(f"there is no {args.pack}")
    except (DeviceError, ConfigError, FileNotFoundError) as error:
        print(f"harness.gpu: {error}", file=sys.stderr)
        return 2
    os.environ["PATH"] += os.pathsep + str(TOOLKIT)
    out.mkdir(parents=True, exist_ok=True)
    if args.pack:
        os.environ.update(use_pack(args.pack, out.with_name(f"{out.name}.pack")))
    every = [cell for _, found in chosen for cell in found]

    def keep() -> None:
        write_summary(every, out, runner.outcomes)
        if args.archive:
            archive(out, args.archive)

    with (out / "log.txt").open("a") as log:

        def say(line: str) -> None:
            print(line, flush=True)
            print(line, file=log, flush=True)

        say(f"{gpu.name}, sm_{gpu.arch}: {args.minutes:g} minutes")
        runner = Runner(out, 60 * args.minutes, say, args.again, keep=keep)
        parts = [args.only] if args.only else ["prepare", "measure", "test"]
        if "prepare" in parts:
            runner.steps(looks())
            runner.at_once(preparation(f"sm_{gpu.arch}", runner.tried()))
            if runner.ended_well(BARRIERS):
                runner.at_once(persistent_checks())
            runner.steps(probes(out))
        if "measure" in parts:
            measure(runner, chosen, out, args.again)
        if "test" in parts:
            runner.steps(tests())
        keep()
        say((out / "summary.md").read_text())
    measured = tuple(f"{config.stem}/" for config in configs)
    return 1 if failures(o for o in runner.outcomes if not o.name.startswith(measured)) else 0


def measure(
    runner: Runner, chosen: Sequence[tuple[Path, Sequence[Cell]]], out: Path, again: bool
) -> None:
    """Measure the cells of the configurations; systems and variants that cannot run here yet are
    left out and get no rows."""
    left_out = [*(() if runner.ended_well(BARRIERS) else PERSISTENT)]
    left_out += [system for system in native() if not runner.ended_well(system)]
    for name in left_out:
        runner.say(f"left out: {name}")
    for config, found in chosen:
        runner.steps(measurement(config, found, out, again, left_out))


if __name__ == "__main__":
    sys.exit(main())
