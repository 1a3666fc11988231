"""Turn the gradients of weights that the compiler folded into gradients of the model's own weights:
the operations that were folded, in reverse, in numpy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..ir import batched as B
from ..ir import typed as T
from ..ir.dims import Dim
from ..ir.ops import OPS
from ..ir.types import TensorType
from .derivatives import DERIVATIVES
from .emitter import Emitter, dims_of
from .weights import Collected


class Unfolding:
    """Passes gradients of the weights `folded`, which is in the order of `users_first`, on to the
    weights that these were folded from. `values` has an array of every weight's shape."""

    def __init__(self, folded: Sequence[T.FoldedWeight], values: Mapping[str, np.ndarray]) -> None:
        self.folded = folded
        self.constants: set[str] = set()  # those that depend on no weight
        for of in reversed(folded):
            if all(map(self._is_constant, of.args)):
                self.constants.add(of.path)
        self._adjoints = {
            of.path: _Adjoint(of, values, [not self._is_constant(a) for a in of.args])
            for of in folded
            if of.path not in self.constants
        }

    def __call__(self, found: Collected, values: Mapping[str, np.ndarray]) -> None:
        """Replace the gradients that `found` has of folded weights. `values` are those of all
        weights."""
        for of in self.folded:
            if of.path not in found.whole and of.path not in found.by_row:
                continue
            gradient = _taken(found, of.path)
            if of.path in self.constants:
                continue
            for a, d in zip(of.args, self._adjoints[of.path](gradient, values), strict=True):
                if d is not None and not isinstance(a, T.Const):
                    found.add(a.path, d)

    def _is_constant(self, arg: T.FoldedWeight | T.Weight | T.Const) -> bool:
        return isinstance(arg, T.Const) or arg.path in self.constants


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


class _Adjoint:
    """The gradients of those operands of the folded operation `of` that are `wanted`."""

    def __init__(
        self, of: T.FoldedWeight, values: Mapping[str, np.ndarray], wanted: Sequence[bool]
    ) -> None:
        self._of, self._wanted = of, list(wanted)
        self._ops: list[B.BlockOp] = []
        if of.op == "lookup":
            return
        self._args = tuple(a if isinstance(a, T.Const) else _like(values[a.path]) for a in of.args)
        self._out, self._gradient = _like(values[of.path]), _like(values[of.path])
        e, op = Emitter(), T.Op(of.op, self._args, of.attrs)
        slopes = DERIVATIVES[of.op](e, op, self._out, self._gradient)
        self._slopes = [
            e.summed_to(s, dims_of(a)) if s is not None and want and isinstance(a, T.Var) else None
            for a, s, want in zip(self._args, slopes, wanted, strict=True)
        ]
        needed = {s for s in self._slopes if s is not None}
        for o in reversed(e.ops):
            if o.out in needed:
                needed |= {a for a in o.op.args if isinstance(a, T.Var)}
        self._ops = [o for o in e.ops if o.out in needed]

    def __call__(
        self, gradient: np.ndarray, values: Mapping[str, np.ndarray]
    ) -> list[np.ndarray | None]:
        of = self._of
        if of.op == "lookup":
            table, index = of.args
            assert isinstance(index, T.Const) and not isinstance(table, T.Const)
            whole = np.zeros_like(values[table.path])
            whole[int(index.value)] = gradient.reshape(whole.shape[1:])
            return [whole, None]
        if self._adds_nothing(gradient, values):
            return [None, None]
        env = {self._out: values[of.path], self._gradient: gradient}
        for arg, var in zip(of.args, self._args, strict=True):
            if isinstance(var, T.Var) and not isinstance(arg, T.Const):
                env[var] = values[arg.path]
        for o in self._ops:
            inputs = [env[a] if isinstance(a, T.Var) else np.float32(a.value) for a in o.op.args]
            with np.errstate(all="ignore"):
                result = OPS[o.op.name].numpy(*inputs, **dict(o.op.attrs))
            env[o.out] = np.asarray(result)
        return [None if s is None else env[s] for s in self._slopes]

    def _adds_nothing(self, gradient: np.ndarray, values: Mapping[str, np.ndarray]) -> bool:
        """Whether the operation multiplies zeros, the first state of a recurrence, by a weight."""
        left = self._of.args[0] if self._of.args else None
        if self._of.op != "matmul" or self._wanted != [False, True] or isinstance(left, T.Const):
            return False
        assert left is not None
        return not values[left.path].any() and bool(np.isfinite(gradient).all())


def _like(array: np.ndarray) -> T.Var:
    return T.Var("weight", TensorType(tuple(Dim.of(n) for n in array.shape)))
