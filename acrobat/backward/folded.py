"""Turn the gradients of weights that the compiler folded into gradients of the model's own weights:
the operations that were folded, in reverse, in numpy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..ir import typed as T
from ..ir.dims import Dim
from ..ir.ops import OPS
from ..ir.types import TensorType
from .derivatives import DERIVATIVES
from .emitter import Emitter, dims_of
from .weights import Collected


def unfold(
    found: Collected, folded: Sequence[T.FoldedWeight], values: Mapping[str, np.ndarray]
) -> None:
    """Pass the gradients that `found` has of `folded`, which is in the order of `users_first`, on
    to the weights that these were folded from. `values` are the values of all weights."""
    for of in folded:
        if of.path not in found.whole and of.path not in found.by_row:
            continue
        gradient = _taken(found, of.path)
        for a, d in zip(of.args, _gradients(of, gradient, values), strict=True):
            if d is not None and not isinstance(a, T.Const):
                found.add(a.path, d)


def _taken(found: Collected, path: str) -> np.ndarray:
    """Remove the gradient of a weight from `found`, and return it."""
    result = Collected(found.weights, {}, {}, found.row_sums)
    if path in found.whole:
        result.whole[path] = found.whole.pop(path)
    if path in found.by_row:
        result.array(path)
        result.by_row[path] = found.by_row.pop(path)
    result.results()
    return result.whole[path]


def users_first(folded: Mapping[str, T.FoldedWeight]) -> list[T.FoldedWeight]:
    """All folded weights, each before those that it was folded from."""
    order: list[T.FoldedWeight] = []
    seen: set[str] = set()
    work = [(w, False) for w in folded.values()]
    while work:
        weight, ready = work.pop()
        if ready:
            order.append(weight)
        elif weight.path not in seen:
            seen.add(weight.path)
            work.append((weight, True))
            work += [(a, False) for a in weight.args if isinstance(a, T.FoldedWeight)]
    return order[::-1]


def _gradients(
    of: T.FoldedWeight, gradient: np.ndarray, values: Mapping[str, np.ndarray]
) -> list[np.ndarray | None]:
    """The gradients of the operands of one folded operation."""
    if of.op == "lookup":
        table, index = of.args
        assert isinstance(index, T.Const) and not isinstance(table, T.Const)
        whole = np.zeros_like(values[table.path])
        whole[int(index.value)] = gradient.reshape(whole.shape[1:])
        return [whole, None]
    env: dict[T.Var, np.ndarray] = {}

    def variable(array: np.ndarray) -> T.Var:
        var = T.Var("weight", TensorType(tuple(Dim.of(n) for n in array.shape)))
        env[var] = array
        return var

    args = tuple(a if isinstance(a, T.Const) else variable(values[a.path]) for a in of.args)
    out, d = variable(values[of.path]), variable(gradient)
    e = Emitter()
    slopes = [
        e.summed_to(s, dims_of(a)) if s is not None and isinstance(a, T.Var) else None
        for a, s in zip(
            args, DERIVATIVES[of.op](e, T.Op(of.op, args, of.attrs), out, d), strict=True
        )
    ]
    for o in e.ops:
        inputs = [env[a] if isinstance(a, T.Var) else np.float32(a.value) for a in o.op.args]
        attrs = dict(o.op.attrs)
        with np.errstate(all="ignore"):
            env[o.out] = np.asarray(OPS[o.op.name].numpy(*inputs, **attrs))
    return [None if s is None else env[s] for s in slopes]
