"""The error of a hint that stands for no type of the language."""

from __future__ import annotations

import typing
from typing import Any

import numpy as np

from .bad_hint import FIELDS, OR_EXAMPLES, BadHint, hint_text
from .plain_classes import is_plain_class


def no_type(hint: Any) -> BadHint:
    """The error, with what to write instead."""
    base = typing.get_origin(hint) or hint
    if base is np.ndarray:
        return BadHint(
            f"{hint_text(hint)} says no shape", f"the shape, `Float32[Tensor, 'H']`, {OR_EXAMPLES}"
        )
    return BadHint(
        f"{hint_text(hint)} is no type of the model language",
        f"`@ab.data` on {base.__name__}"
        if isinstance(base, type) and is_plain_class(base)
        else f"use {FIELDS}, tuple[...], or the @ab.params class",
    )
