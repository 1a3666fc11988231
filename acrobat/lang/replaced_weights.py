"""Whether weights can take the place of those that a model was compiled with."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ParamsError
from .made_weights import is_made
from .params import check_class, constants, weights
from .plain_weights import as_weights


def replacement(model: str, compiled: Any, given: Any) -> Any:
    """`given`, weights in any form, as an object of a params class. ParamsError unless they have
    the class, the shapes and the constants of those that the model was compiled with."""
    if not is_made(compiled):
        check_class(model, type(compiled), type(given))
    given = as_weights(given)
    before, after = weights(compiled), weights(given)
    for path in [*before, *after]:
        was, now = (list(w[path].shape) if path in w else "none" for w in (before, after))
        if was != now:
            raise ParamsError(f"{path}: compiled with a weight of shape {was}, got {now}")
    check_constants(model, compiled, given)
    if type(given) is not type(compiled):
        raise ParamsError(
            f"params: {model} was compiled with weights of another structure; compile it again"
        )
    return given


def check_constants(model: str, compiled: Any, given: Any) -> None:
    """ParamsError if a number among the weights, or what else the model is compiled for, is another
    one than then."""
    before = dict(constants(compiled))
    for path, now in constants(given):
        was = before.get(path, now)
        if was is not now and not _alike(was, now):
            raise ParamsError(
                f"{path}: {model} was compiled with {was!r}, got {now!r}; compile it again"
            )


def _alike(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    if isinstance(a, (list, tuple, dict, set, frozenset)):
        return bool(a == b)
    # NaN is not equal to itself, and 0.0 and -0.0 are equal.
    return isinstance(a, (bool, int, float, str)) and repr(a) == repr(b)
