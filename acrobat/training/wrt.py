"""Which weights to differentiate with respect to."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

from ..errors import GradientError
from ..lang.params import weights

Wrt = str | Sequence[str] | None


def chosen_weights(params: Any, wrt: Wrt) -> tuple[str, ...]:
    """The paths of the weights that `wrt` names, in the order of the class: "w", "layers.0.w", or
    "layers.0" or "layers" for all weights in them; None for every weight. GradientError if there is
    no such weight."""
    known, owner = tuple(weights(params)), type(params).__name__
    if wrt is None:
        if not known:
            raise GradientError(f"wrt: {owner} has no weights: nothing to differentiate")
        return known
    names = [wrt] if isinstance(wrt, str) else list(wrt)
    if not names:
        raise GradientError("wrt: no weight is named; leave it out for all of them")
    chosen: set[str] = set()
    for name in names:
        found = [p for p in known if p == name or p.startswith(f"{name}.")]
        if not isinstance(name, str) or not found:
            near = difflib.get_close_matches(str(name), known, 1)
            meant = f"; did you mean {near[0]!r}?" if near else ""
            raise GradientError(
                f"wrt: {owner} has no weight {name!r}{meant} (it has {', '.join(known)})"
            )
        chosen.update(found)
    return tuple(p for p in known if p in chosen)
