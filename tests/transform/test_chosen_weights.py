"""Weights that a model chooses among at run time are refused where they are used, in any form."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest

import acrobat as ab
from acrobat.pipeline import run_pipeline

TYPES = """
@ab.params
class Q:
    w: Tensor["H", "H"]

@ab.params
class P:
    q: Q
    r: Q

@ab.data
class D:
    n: int
    x: Tensor["H"]

@ab.model
def cell(q: Q, x: Tensor["H"]) -> Tensor["H"]:
    return ops.tanh(x @ q.w)

@ab.model
def pick(p: P, n: int) -> Q:
    if n > 0:
        return p.q
    return p.r

@ab.model
def f(p: P, d: D) -> Tensor["H"]:
    h, q, r = d.x, p.q, p.r
"""
AC008 = "AC008: '{}' is one Q on one path and another Q on another"
FORMS = {
    "for": ("for i in range(3):\n    h = cell(q, h)\n    q = r", "h = cell(q, h)", 9, AC008),
    "while": (
        "while ops.item(ops.sum(h)) > 0.0:\n    h = cell(q, h)\n    q, r = r, q",
        "h = cell(q, h)",
        9,
        AC008,
    ),
    "result": (
        "h = cell(pick(p, d.n), h)",
        "return ops.tanh(x @ q.w)",
        20,
        "AC008: w: of which Q it is read is decided at run time",
    ),
}


@pytest.mark.parametrize(("body", "line", "column", "message"), FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("parameter_reuse", ["context-sensitive", "off"])
def test_the_error_has_a_place(
    load_model: Callable[[str], ModuleType],
    body: str,
    line: str,
    column: int,
    message: str,
    parameter_reuse: str,
) -> None:
    indented = "".join(f"    {text}\n" for text in body.split("\n"))
    m = load_model(f"{TYPES}{indented}    return h\n")
    q, r = (m.Q(w=np.eye(4)) for _ in range(2))
    with pytest.raises(ab.ModelError) as caught:
        run_pipeline(m.f, m.P(q=q, r=r), ab.Options(parameter_reuse=parameter_reuse))
    _, shown, carets, said, *_ = caught.value.render().split("\n")
    name = line[column:][:1]
    assert shown.strip() == line and said.startswith(message.format(name))
    assert len(carets) - len(carets.lstrip()) == 4 + column


@pytest.mark.parametrize(
    "body",
    [
        "if d.n > 0:\n    q = r\nh = cell(q, h)",
        "q = q if d.n > 0 else r\nh = cell(q, h)",
        "for s in [q, r]:\n    h = cell(s, h)",
    ],
)
@pytest.mark.parametrize("parameter_reuse", ["context-sensitive", "off"])
@pytest.mark.usefixtures("interpreted_kernels")
def test_a_branch_chooses(
    load_model: Callable[[str], ModuleType], body: str, parameter_reuse: str
) -> None:
    indented = "".join(f"    {text}\n" for text in body.split("\n"))
    m = load_model(f"{TYPES}{indented}    return h\n")
    p = m.P(q=m.Q(w=np.eye(4)), r=m.Q(w=np.eye(4) * 2))
    fast = ab.compile(m.f, p, options=ab.Options(parameter_reuse=parameter_reuse, executor="vm"))
    x = np.arange(4, dtype=np.float32)
    instances = [m.D(n=n, x=x) for n in (1, 0)]
    for result, instance in zip(fast(instances), instances, strict=True):
        np.testing.assert_allclose(result, m.f(p, instance), rtol=1e-5)
