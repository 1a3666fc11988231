"""The environment of the JAX systems, and the command that makes it; once per machine.

    python -m baselines.jax_shared.environment [--jobs N]

Half a minute with a usual connection, 350 MB below acrobat's cache. `--jobs` is what every native
build is given; there is nothing to compile here.
"""

from __future__ import annotations

import argparse
import sys

from ..environment import Environment, EnvironmentFailure

JAX = Environment("jax", command="python -m baselines.jax_shared.environment")


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Make the environment of the JAX systems.")
    parser.add_argument("--jobs", type=int, default=1, help="of native builds; unused here")
    parser.parse_args()
    try:
        new = JAX.make()
    except (EnvironmentFailure, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{'made' if new else 'there already'}: {JAX.folder}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
