"""TreeLSTM written for DyNet, in four forms of the same cell.

DyNet batches equal operations itself, so the model is written for one tree. The author may choose
how the gates are computed: by one affine transform per gate, or by one for all gates, whose result
is split (`fused`); with one product per child, or one for both children joined (`joined`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Expression = Any


@dataclass(frozen=True, slots=True)
class Form:
    """How the gates of a cell are computed."""

    fused: bool
    joined: bool

    def __str__(self) -> str:
        gates = "one affine" if self.fused else "an affine per gate"
        return f"{gates}, {'children joined' if self.joined else 'a product per child'}"


FORMS = tuple(Form(fused, joined) for fused in (False, True) for joined in (False, True))


class Weights:
    """The weights of `params` as DyNet parameters, transposed, because vectors are columns."""

    def __init__(self, dy: Any, params: Any) -> None:
        # The collection owns the memory, so it must live as long as its parameters.
        self.collection = dy.ParameterCollection()
        self.hidden = hidden = params.emb.shape[1]
        add = self.collection.parameters_from_numpy

        def matrix(columns: np.ndarray) -> Any:
            return add(np.ascontiguousarray(columns.T))

        def gates(columns: np.ndarray) -> list[Any]:
            return [matrix(part) for part in np.split(columns, columns.shape[-1] // hidden, -1)]

        self.emb = self.collection.lookup_parameters_from_numpy(params.emb)
        left, right = np.split(params.w, 2)
        # For each form, the bias and matrices of its affine transforms, leaves first. A fused form
        # is a list of one; matrices are in the order of their inputs.
        self.leaf = {
            False: _transforms(gates(params.b_leaf), gates(params.w_leaf)),
            True: _transforms([add(params.b_leaf)], [matrix(params.w_leaf)]),
        }
        self.inner = {
            Form(False, True): _transforms(gates(params.b), gates(params.w)),
            Form(True, True): _transforms([add(params.b)], [matrix(params.w)]),
            Form(False, False): _transforms(gates(params.b), gates(left), gates(right)),
            Form(True, False): _transforms([add(params.b)], [matrix(left)], [matrix(right)]),
        }


def _transforms(biases: list[Any], *matrices: list[Any]) -> list[tuple[Any, ...]]:
    return list(zip(biases, *matrices, strict=True))


def build_graph(
    dy: Any, weights: Weights, form: Form, trees: Sequence[Any]
) -> list[tuple[Expression, Expression]]:
    """Build a new computation graph for `trees`; returns (h, c) of every root, not yet computed."""
    dy.renew_cg(immediate_compute=False, check_validity=False)
    # Bound once, because the following Python code runs once per tree node.
    affine, logistic, tanh, cmult = dy.affine_transform, dy.logistic, dy.tanh, dy.cmult
    concatenate, pick_range, lookup, esum = dy.concatenate, dy.pick_range, dy.lookup, dy.esum
    emb, hidden = weights.emb, weights.hidden
    leaf_transforms, inner_transforms = weights.leaf[form.fused], weights.inner[form]
    leaf_ranges, inner_ranges = ([(k * hidden, (k + 1) * hidden) for k in range(n)] for n in (3, 5))

    def split(z: Expression, ranges: list[tuple[int, int]]) -> list[Expression]:
        return [pick_range(z, start, end) for start, end in ranges]

    def leaf_gates(word: int) -> list[Expression]:
        x = lookup(emb, word, False)
        z = [affine([bias, w, x]) for bias, w in leaf_transforms]
        return split(z[0], leaf_ranges) if form.fused else z

    def inner_gates(h_l: Expression, h_r: Expression) -> list[Expression]:
        if form.joined:
            x = concatenate([h_l, h_r])
            z = [affine([bias, w, x]) for bias, w in inner_transforms]
        else:
            z = [affine([bias, w_l, h_l, w_r, h_r]) for bias, w_l, w_r in inner_transforms]
        return split(z[0], inner_ranges) if form.fused else z

    def encode(tree: Any) -> tuple[Expression, Expression]:
        if hasattr(tree, "left"):
            h_l, c_l = encode(tree.left)
            h_r, c_r = encode(tree.right)
            i, o, u, f_l, f_r = inner_gates(h_l, h_r)
            c = esum(
                [
                    cmult(logistic(i), tanh(u)),
                    cmult(logistic(f_l), c_l),
                    cmult(logistic(f_r), c_r),
                ]
            )
        else:
            i, o, u = leaf_gates(tree.word)
            c = cmult(logistic(i), tanh(u))
        return cmult(logistic(o), tanh(c)), c

    return [encode(tree) for tree in trees]
