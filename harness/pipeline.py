"""Snakemake for untrusted configurations: `python -m harness.pipeline ARGUMENT...`

Snakemake reads the files of `--configfile` before any of our rules; it shows a traceback for a file
that is not text, and executes YTE templates. This module first reads the files as data; if all are
valid configurations, Snakemake gets the arguments unchanged.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from .config import validate
from .config_file import ConfigError, read_config


def main(arguments: Sequence[str]) -> int:
    """Check the files, then become Snakemake; 2 if one of them is wrong."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--configfile", "--configfiles", nargs="+", type=Path, default=[])
    known, _ = parser.parse_known_args(arguments)
    for path in known.configfile:
        try:
            config = read_config(path)
            try:
                validate(config)
            except ConfigError as error:
                raise ConfigError(f"{path}: {error}") from error
        except ConfigError as error:
            print(f"harness.pipeline: {error}", file=sys.stderr)
            return 2
    os.execv(sys.executable, [sys.executable, "-m", "snakemake", *arguments])  # noqa: S606


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
