"""The environment of the JAX systems, and the command that makes it, once per machine.

    python -m baselines.jax_shared.environment [--jobs N]

It takes half a minute with an ordinary connection, and 350 MB in acrobat's cache.
"""

from __future__ import annotations

import sys

from ..environment import Environment, command_line

JAX = Environment("jax", command="python -m baselines.jax_shared.environment")

if __name__ == "__main__":
    sys.exit(command_line(JAX, "the JAX systems"))
