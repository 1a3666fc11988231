"""What is too deep or has no end is an error at its place, at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from acrobat.driver.recursion import deep_recursion
from acrobat.frontend.module import lower_model
from acrobat.lang.diagnostics import ModelError
from tests.frontend.test_error_examples import load

HEAD = "@ab.model\ndef f(p: P, t: Leaf) -> int:\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            HEAD + "    return " + " + ".join(["t.word"] * 1500),
            "AC032: an expression nested more than 1000 deep",
        ),
        (
            "L = int\nfor _ in range(500):\n    L = list[L]\n"
            "@ab.model\ndef g(x: L) -> int:\n    return 1\n" + HEAD + "    return g([])",
            "AC004: the hint of 'x': a type nested more than 32 deep",
        ),
        (
            "L = int\nfor _ in range(24):\n    L = tuple[L, L]\n"
            "@ab.model\ndef g(x: L) -> int:\n    return 1\n" + HEAD + "    return g(1)",
            "AC004: the hint of 'x': a type of more than 4096 parts",
        ),
        (
            HEAD + "    x = []\n    while len(x) < 3:\n        x = [x]\n    return 1",
            "AC008: 'x' is a list that every iteration puts into another list: its type has no end",
        ),
        (
            '@ab.data\nclass Y:\n    y: "Y"\n@ab.model\ndef f(p: P, t: Y) -> int:\n    return 1',
            "AC004: no value of the type Y is finite: Y.y is a Y",
        ),
        (
            "def g(p, a):\n    for _ in range(3):\n        a = g(p, ops.concat(a, p.b))\n"
            "    return a\n" + HEAD + "    return g(p, p.b).shape[0]",
            "AC032: g calls itself with other types each time, 64 times and on: `p` is P, `a` is "
            "Tensor[65H]",
        ),
    ],
)
def test_limit(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ModelError) as caught, deep_recursion():
        lower_model(load(tmp_path, text))
    assert str(caught.value.msg) == message
