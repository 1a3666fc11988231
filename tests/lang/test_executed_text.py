"""Declarations in text that `exec` runs, under any module's name."""

from __future__ import annotations

import itertools
import linecache
import pickle
import sys
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat.lang.hints import resolve_class_hints
from tests.programs.reference_kernels import reference_kernels

TEXT = """
import acrobat as ab
from acrobat import Float32, Tensor, ops
import typing

HIDDEN = 2

@ab.data
class Leaf:
    word: int

@ab.data
class Node:
    left: "Leaf | Node"
    right: "Leaf | Node"
    x: Float32[Tensor, "HIDDEN"]

@ab.params
class P:
    emb: Float32[Tensor, "V H"]
    n: int = 2

@ab.model
def f(p: P, t: Leaf | Node) -> Float32[Tensor, "H"]:
    match t:
        case Leaf(word):
            return p.emb[word]
        case Node(left, right, x):
            return f(p, left) + f(p, right) * p.n + x
"""
FUTURE = "from __future__ import annotations\n"
UNKNOWN = "a_module_that_nobody_imported"
_numbers = itertools.count()


def executed(text: str, space: dict[str, Any], known: bool = True) -> dict[str, Any]:
    """What the text defines; `known`: whether its lines can be looked up."""
    name = f"<executed {next(_numbers)}>"
    if known:
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec", dont_inherit=True), space)
    return space


@pytest.mark.parametrize("future", ["", FUTURE], ids=["evaluated", "strings"])
@pytest.mark.parametrize(
    "space", [{"__name__": UNKNOWN}, {}, {"__name__": __name__}, {"__name__": None}]
)
def test_models_of_executed_text_are_compiled(space: dict[str, Any], future: str) -> None:
    m = executed(future + TEXT, dict(space))
    weights = m["P"](emb=np.eye(2))
    with reference_kernels():
        fast = ab.compile(m["f"], weights, "cpu", ab.Options(executor="vm"))
    tree = m["Node"](m["Leaf"](0), m["Leaf"](1), np.array([0.5, 0], np.float32))
    assert fast([tree])[0].tolist() == m["f"](weights, tree).tolist() == [1.5, 2.0]
    assert m["Node"].__module__ == m["P"].__module__ == m["Leaf"].__module__
    assert m["Leaf"].__module__ == space.get("__name__", "builtins")
    assert repr(m["Leaf"](3)) == "Leaf(word=3)"


def test_a_hint_in_a_string_that_is_no_shape() -> None:
    wrong = TEXT.replace('-> Float32[Tensor, "H"]', '-> Float32[Tensor, "? H"]')
    m = executed(FUTURE + wrong, {"__name__": UNKNOWN})
    with pytest.raises(ab.ModelError) as caught:
        ab.compile(m["f"], m["P"](emb=np.eye(2)))
    assert caught.value.msg.startswith("AC004: the result hint: cannot read the dimension '?'")


def test_names_of_the_function_around_a_class() -> None:
    lines = "".join(f"    {line}\n" for line in TEXT.split("\n"))
    text = f"{FUTURE}def make():\n{lines}\n    return Node\n"
    hints = resolve_class_hints(executed(text, {"__name__": UNKNOWN})["make"]())
    assert [t.__name__ for t in hints["left"].__args__] == ["Leaf", "Node"]


def test_names_in_a_space_of_locals() -> None:
    own: dict[str, Any] = {}
    exec(FUTURE + TEXT, {"__name__": UNKNOWN}, own)
    assert resolve_class_hints(own["Leaf"]) == {"word": int}
    assert own["Node"] in resolve_class_hints(own["Node"])["left"].__args__


def test_text_that_cannot_be_looked_up() -> None:
    m = executed(FUTURE + TEXT, {"__name__": UNKNOWN}, known=False)
    weights = m["P"](emb=np.eye(2))
    with pytest.raises(ab.ModelError) as caught:
        ab.compile(m["f"], weights)
    assert "AC028: the source of f is not available (could not get source code)" in str(
        caught.value
    )
    assert caught.value.errors[0].hint == (
        "a plain `def` in a file or a notebook cell; for text that `exec` runs, `code = "
        "compile(text, name, 'exec')` with a name of its own, and before ab.compile "
        "`linecache.cache[name] = (len(text), None, text.splitlines(True), name)`"
    )


def test_what_cannot_be_pickled() -> None:
    m = executed(TEXT, {"__name__": UNKNOWN})
    assert UNKNOWN not in sys.modules
    with pytest.raises(pickle.PicklingError) as caught:
        pickle.dumps(m["f"])
    assert str(caught.value) == (
        f"the model f of {UNKNOWN} cannot be pickled: models are found by module and name, and "
        f"{UNKNOWN} is not among the imported modules; define it at the top level of a module, "
        "under a name of its own"
    )
