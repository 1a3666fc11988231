"""One instance run again as plain Python, to see where its NaN or infinity began."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from ..driver.recursion import deep_recursion
from ..lang.observe import OBSERVER
from .watched import Watch

_MOST_STACK = 1 << 30


def run_watched(function: Callable[[], Any], stack_bytes: int) -> Any:
    """The result of a model that runs on watched instances and weights. Whatever it raises comes
    out, RecursionError if the instance is too deep."""
    outcome: list[Any] = []

    def work() -> None:
        OBSERVER.set(Watch())  # of this thread alone
        try:
            with deep_recursion(), np.errstate(all="ignore"):
                outcome.append(function())
        except BaseException as error:
            outcome.append(_Raised(error))

    thread = threading.Thread(target=work, name="acrobat check_finite", daemon=True)
    before = threading.stack_size(min(stack_bytes, _MOST_STACK))
    try:
        thread.start()
    except RuntimeError:  # no addresses for that stack
        contextvars.Context().run(work)
    else:
        thread.join()
    finally:
        threading.stack_size(before)
    [result] = outcome
    if isinstance(result, _Raised):
        raise result.error
    return result


class _Raised:
    def __init__(self, error: BaseException) -> None:
        self.error = error
