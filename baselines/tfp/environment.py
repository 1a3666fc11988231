"""The environment of TensorFlow Probability, and the command that makes it, once per machine.

    python -m baselines.tfp.environment [--jobs N]

It takes 40 seconds of CPU time, and 2.2 GB in acrobat's cache.
"""

from __future__ import annotations

import sys

from ..environment import Environment, command_line

TFP = Environment("tfp", command="python -m baselines.tfp.environment")

if __name__ == "__main__":
    sys.exit(command_line(TFP, "TensorFlow Probability"))
