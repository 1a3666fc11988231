"""Runs a model as plain Python under an observer, with room for its recursion."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import numpy as np

from ..background import Background
from ..lang.observe import OBSERVER, Observer
from .recursion import deep_recursion

_MOST_STACK = 1 << 30
_PATIENCE_S = 10.0
_R = TypeVar("_R")


def run_observed(observer: Observer, function: Callable[[], _R], stack_bytes: int) -> _R:
    """Run `function`, whose operations `observer` performs, and return its result. Its exceptions
    propagate; RecursionError if it recurses too deeply."""

    def work() -> _R:
        OBSERVER.set(observer)  # only in this context
        with deep_recursion(), np.errstate(all="ignore"):
            return function()

    before = threading.stack_size(min(stack_bytes, _MOST_STACK))
    try:
        run = Background(partial(contextvars.Context().run, work), daemon=True)
    finally:
        threading.stack_size(before)
    run.begun(_PATIENCE_S)  # if no thread begins by then, `result` runs it here, on this stack
    return run.result()
