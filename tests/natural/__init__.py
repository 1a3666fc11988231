"""Models as their authors would write them, without a thought of batching."""

from __future__ import annotations

from . import (
    attention,
    beam,
    cache,
    child_sum,
    code,
    experts,
    nary,
    neural_stack,
    picky,
    ponder,
    translate,
)
from .model import Natural

NATURALS: tuple[Natural, ...] = tuple(
    module.NATURAL
    for module in (
        ponder,
        nary,
        child_sum,
        beam,
        translate,
        code,
        experts,
        picky,
        cache,
        neural_stack,
        attention,
    )
)
