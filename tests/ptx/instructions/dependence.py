"""What a kernel does that begins before the one before it in its stream has ended."""

from __future__ import annotations

import re
from typing import Any

from ..registers import Frame, Layout
from ..syntax import Instruction
from .table import Action, Mask, active, instruction


@instruction(r"griddepcontrol\.launch_dependents")
def let_begin(match: re.Match[str], i: Instruction, layout: Layout) -> Action:
    """Nothing: the next kernel waits by itself."""
    return lambda team, frame, mask: None


@instruction(r"griddepcontrol\.wait")
def wait_for_kernel(match: re.Match[str], i: Instruction, layout: Layout) -> Action:
    """What the kernel before has written is there from here on, for every thread."""

    def run(team: Any, frame: Frame, mask: Mask) -> None:
        team.waited[active(team, mask)] = True

    return run
