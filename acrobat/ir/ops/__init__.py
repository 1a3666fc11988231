"""The tensor operations: one table, one entry per operation.

An entry gives the kind (which decides how `kernels.lower` treats it), the shape rule (`shapes`),
and the plain numpy meaning (`meaning`). Adding an operation is adding an entry here, a function in
`lang.ops`, and, for a new kind, its lowering.

Tensors have rank 0, 1 or 2; weights may be tables of matrices, of rank 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from . import meaning as M
from . import shapes as S
from .definition import OpDef, ShapeError
from .meaning import EPSILON

__all__ = ["EPSILON", "OPS", "OpDef", "ShapeError"]

_POINTWISE: tuple[tuple[str, int, Callable[..., object]], ...] = (
    ("add", 2, np.add),
    ("sub", 2, np.subtract),
    ("mul", 2, np.multiply),
    ("div", 2, np.divide),
    ("maximum", 2, np.maximum),
    ("minimum", 2, np.minimum),
    ("less", 2, np.less),
    ("greater", 2, np.greater),
    ("where", 3, M.where),
    ("neg", 1, np.negative),
    ("tanh", 1, np.tanh),
    ("sigmoid", 1, M.sigmoid),
    ("relu", 1, lambda x: np.maximum(x, 0)),
    ("gelu", 1, M.gelu),
    ("exp", 1, np.exp),
    ("log", 1, np.log),
    ("sqrt", 1, np.sqrt),
    ("abs", 1, np.abs),
)

_TABLE = (
    *(OpDef(n, "elementwise", S.elementwise(n, k), M.float32(f)) for n, k, f in _POINTWISE),
    OpDef("matmul", "contraction", S.matmul, M.float32(np.matmul)),
    OpDef("linear", "contraction", S.linear, M.linear),
    OpDef("outer", "rearrange", S.outer, np.outer),
    OpDef("transpose", "rearrange", S.transpose, lambda x: x.T),
    OpDef("reshape", "rearrange", S.reshape, lambda x, *, shape: np.reshape(x, shape)),
    OpDef("concat", "rearrange", S.concat, lambda *xs, axis=-1: np.concatenate(xs, axis=axis)),
    OpDef("stack", "rearrange", S.stack, lambda *xs: np.stack(xs)),
    OpDef("slice", "rearrange", S.slice_, M.slice_),
    OpDef("softmax", "normalise", S.softmax, M.softmax),
    OpDef("layer_norm", "normalise", S.layer_norm, M.layer_norm),
    OpDef("sum", "reduction", S.reduction("sum"), M.reduction(np.sum)),
    OpDef("mean", "reduction", S.reduction("mean"), M.reduction(np.mean)),
    OpDef("max", "reduction", S.reduction("max"), M.reduction(np.max)),
    OpDef("argmax", "reduction", S.argmax, M.float32(np.argmax)),
    OpDef("lookup", "lookup", S.lookup, lambda table, i: np.asarray(table[i])),
    OpDef("one_hot", "lookup", S.one_hot, M.one_hot),
    OpDef("zeros", "constant", S.constant, lambda *, shape: np.zeros(shape, np.float32)),
    OpDef("eye", "constant", S.eye, M.eye),
    OpDef("attention", "attention", S.attention, M.attention),
)

OPS: Mapping[str, OpDef] = {op.name: op for op in _TABLE}
