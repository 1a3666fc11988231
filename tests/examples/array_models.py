"""Models without hints whose instances have arrays of several sizes, and dicts."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, type-arg, index, attr-defined"

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import acrobat as ab

from .models import array


@dataclass
class Document:
    tokens: np.ndarray
    weight: float


@ab.model
def any_rows(p, doc: Document) -> Any:
    scores = np.exp(doc.tokens @ p.w[0])
    return (scores / scores.sum()) @ doc.tokens * doc.weight


DOCUMENTS = [Document(array(2, 4), 1.5), Document(array(5, 4), 0.5)]


@ab.model
def any_size(p, m, v) -> Any:
    return m.sum(), v.max(), m


_SHAPES = [((1, 1), 3), ((2, 3), 1), ((3, 2), 2)]
SIZES = [(array(*m).astype("float32"), array(v).astype("float32")) for m, v in _SHAPES]


@ab.model
def rows_of_a_table(p, rows: list[dict]) -> Any:
    return [(row["name"], row["x"].sum(axis=0) * row["label"], len(row)) for row in rows]


TABLES = [
    [{"name": "a", "x": array(2, 4), "label": 1}, {"name": None, "x": array(3, 4), "label": 2}],
    [],
]


@ab.model
def nested_dicts(p, tree) -> Any:
    if not tree["kids"]:
        return p.emb[tree["label"]]
    return np.tanh(sum([nested_dicts(p, kid) for kid in tree["kids"]]) @ p.w)


_LEAF = {"label": 3, "kids": []}
NESTED = [_LEAF, {"label": 0, "kids": [_LEAF, {"label": 1, "kids": [_LEAF, _LEAF]}]}]


@ab.model
def forest(p, x) -> Any:
    return sum([_weight(t) for t in x["trees"]]) + x["add"]


def _weight(node):
    if node is None:
        return 0
    return node["weight"] + _weight(node["left"]) + _weight(node["right"])


def _node(weight, left=None, right=None):
    return {"left": left, "right": right, "weight": weight}


FORESTS: list[Any] = [
    {"trees": [_node(1, _node(2), _node(3, _node(4)))], "add": 1},
    {"trees": [], "add": 2},
    {"trees": [_node(5), _node(1, None, _node(2))], "add": 3},
]


@ab.model
def of_columns(p, x) -> Any:
    turned = x.T
    return turned[::-1], turned[1:3], turned[0], [c.max() for c in turned], np.flip(turned, axis=0)


COLUMNS = [array(2, 4).astype("float32"), array(5, 4).astype("float32")]


@ab.model
def new_arrays(p, x) -> Any:
    y, z = x.copy(), np.empty_like(x)
    y[0] = 0.5
    for i in range(len(x)):
        z[i] = x[i] * 2.0
    return y, z, np.zeros(x.shape) + x, np.diff(x, axis=0)


CASES: list[tuple[Any, list[Any]]] = [
    (any_rows, DOCUMENTS),
    (any_size, SIZES),
    (rows_of_a_table, TABLES),
    (nested_dicts, NESTED),
    (forest, FORESTS),
    (of_columns, COLUMNS),
    (new_arrays, COLUMNS),
]
