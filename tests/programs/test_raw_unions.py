"""Unions of strings, numbers, tuples and lists: what is read, shared, made and refused."""

from __future__ import annotations

import re
from typing import Any, NamedTuple, Union, cast

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor, ops

Tree = Union[str, list["Tree"], tuple["Tree", "Tree"], tuple[float, int, "Tree"]]  # noqa: UP007


class Pair(NamedTuple):
    left: Named
    right: Named


Named = Union[int, None, Pair]  # noqa: UP007


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "2H H"]


@ab.model
def encode(p: P, t: Tree) -> Float32[Tensor, "H"]:
    match t:
        case str():
            return p.emb[len(t)]
        case list():
            h = ops.zeros(p.emb.shape[1])
            for child in t:
                h = ops.tanh(h + encode(p, child))
            return h
        case (left, right):
            return ops.tanh(ops.concat(encode(p, left), encode(p, right)) @ p.w)
        case (scale, n, inner):
            return encode(p, inner) * scale + p.emb[n]


@ab.model
def both(p: P, t: Tree, named: Named) -> tuple[Float32[Tensor, "H"], Tree, Named]:
    turned: Tree = (0.5, 1, [t, "x"])
    return encode(p, turned), turned, Pair(named, 3)


_RNG = np.random.default_rng(0)
WEIGHTS = P(
    emb=_RNG.normal(0, 0.5, (9, 4)).astype(np.float32),
    w=_RNG.normal(0, 0.5, (8, 4)).astype(np.float32),
)


@pytest.fixture(scope="module", params=["aot", "vm"])
def fast(request: pytest.FixtureRequest) -> Any:
    return ab.compile(both, WEIGHTS, options=ab.Options(executor=request.param, threads=1))


def test_values_and_results(fast: Any) -> None:
    instances: list[Any] = [
        ("a", None),
        ([("bb", []), (1.5, 2, "c")], Pair(1, Pair(None, 2))),
        ((("a", ["b", "c"]), "d"), 7),
    ]
    for (h, tree, named), instance in zip(fast(instances), instances, strict=True):
        want, its, pair = both(WEIGHTS, *instance)
        np.testing.assert_allclose(h, want, atol=1e-5)
        assert (tree, named) == (its, pair)
        assert type(named) is Pair and type(tree[2]) is list


def test_shared_tuples_are_computed_once(fast: Any) -> None:
    """Tuples and lists that are one object; equal strings are, as it happens."""
    leaf = (0.5, 1, ["a", "b"])
    once, again = (leaf, leaf), ((0.5, 1, ["a", "b"]), (0.5, 1, ["b", "a"]))
    nodes = []
    for tree in (once, again):
        fast([(tree, None)])
        nodes.append(fast.last_profile.n_nodes)
    assert nodes[0] < nodes[1]


_NAMED = "int or None or Pair"
_TREE = "str or list or tuple of 2 or tuple of 3"


@pytest.mark.parametrize(
    ("tree", "named", "message"),
    [
        (3, None, f"instances[0][0]: expected {_TREE}, got int (3)"),
        ((), None, f"instances[0][0]: expected {_TREE}, got a tuple of 0"),
        (["a", ("b", 1)], None, f"instances[0][0][1][1]: expected {_TREE}, got int (1)"),
        ((1.0, 2.0, "a"), None, "instances[0][0][1]: expected int, got float (2.0)"),
        ("a", True, f"instances[0][1]: expected {_NAMED}, got bool (True)"),
        (
            "a",
            Pair(1, cast(Any, "b")),
            "instances[0][1][1]: expected int or None or Pair, got str ('b')",
        ),
        (np.str_("a"), None, f"instances[0][0]: expected {_TREE}, got str_"),
    ],
)
def test_other_values(fast: Any, tree: Any, named: Any, message: str) -> None:
    with pytest.raises(ab.InstanceError, match=re.escape(message)):
        fast([(tree, named)])


def test_a_list_in_itself(fast: Any) -> None:
    loop: list[Any] = ["a"]
    loop.append(loop)
    with pytest.raises(ab.InstanceError, match="a cycle, and an instance must end"):
        fast([(loop, None)])
