"""Whether weights can take the place of those that a model was compiled with."""

from __future__ import annotations

from typing import Any

from ..errors import ParamsError
from .made_weights import is_made
from .params import check_class, weights


def check_replacement(model: str, compiled: Any, given: Any) -> None:
    """ParamsError unless `given` have the class and the shapes of the weights that the model was
    compiled with."""
    if not is_made(given):
        check_class(model, type(compiled), type(given))
    before, after = weights(compiled), weights(given)
    for path in [*before, *after]:
        was, now = (list(w[path].shape) if path in w else "none" for w in (before, after))
        if was != now:
            raise ParamsError(f"{path}: compiled with a weight of shape {was}, got {now}")
    if type(given) is not type(compiled):
        raise ParamsError(
            f"params: {model} was compiled with weights of another structure; compile it again"
        )
