"""What `ops.cross_entropy` refuses."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest

import acrobat as ab

MODEL = """\
@ab.params
class P:
    w: Tensor["H H"]


@ab.model
def f(p: P, x: Tensor["H"], k: int) -> Tensor[""]:
    return {}
"""


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (
            "ops.cross_entropy(p.w, k)",
            "AC010: cross_entropy needs a vector of logits, got Tensor[H, H]",
        ),
        (
            "ops.cross_entropy(x, 1.5)",
            "AC010: the label of cross_entropy is an int, this is float",
        ),
        ("ops.cross_entropy(k, k)", "AC010: cross_entropy needs a vector of logits, got int"),
    ],
)
def test_refused(expression: str, text: str, load_model: Callable[[str], ModuleType]) -> None:
    module = load_model(MODEL.format(expression))
    with pytest.raises(ab.ModelError) as caught:
        ab.compile(module.f, module.P(w=np.eye(3)), options=ab.Options(executor="vm"))
    assert text in str(caught.value)
    assert caught.value.lineno == 11
