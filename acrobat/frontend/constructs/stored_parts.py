"""A tensor in which a part is another: rows and elements are chosen by where they are, and slices
are put between what is around them."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import NoReturn

from ...ir import typed as T
from ...ir.dims import Dim
from ...ir.types import BOOL, FLOAT, INT, ListType, RowsType, TensorType
from ..context import FunctionContext
from ..decisions import is_mask
from ..emit import Attrs, as_tensor, list_op, tensor_op, widen
from ..presence import not_none
from ..rows import as_rows, listed
from ..scope import Env
from ..sizes import dimension, size_as_number
from ..templates import template
from ..written import placed
from .bounds import clamped, slice_bound
from .index_kinds import is_full, is_slice, kind_of, without_dots
from .stored_columns import with_columns

_NUMBERS = (INT, FLOAT, BOOL)


@dataclass(slots=True)
class Storing:
    """What an assignment to `node`, a part of a tensor, makes of the tensor."""

    ctx: FunctionContext
    node: ast.Subscript
    env: Env

    def stored(
        self, x: T.Atom, index: list[ast.expr], value: T.Atom, of_whole: bool = False
    ) -> T.Atom:
        """`x` in which the part at `index` is `value`. `of_whole`: value is as large as `x`, and
        has its elements there."""
        assert isinstance(x.type, TensorType)
        index = without_dots(index, len(x.type.dims))
        while index and is_full(index[-1]):
            index = index[:-1]
        if not index:
            return self._whole(x, value)
        if len(index) > len(x.type.dims) or len(x.type.dims) > 2:
            self._refuse(f"{len(index)} indices for {x.type}")
        new = self._part(x, index, value, of_whole)
        if new.type == x.type or isinstance(x.type, RowsType):
            return new
        shape: Attrs = (("shape", x.type.dims),)
        return tensor_op(self.ctx, "reshape", self.node, [(self.node, new)], shape)

    def chooses_elements(self, x: T.Atom, index: list[ast.expr]) -> bool:
        """Whether an index chooses elements one by one: a mask, a list of ints, or a slice whose
        bounds only the instance knows."""
        match index:
            case [ast.Slice() as part] if not isinstance(x.type, RowsType):
                return self._bounds(x, part, 0) is None
        return any(
            kind_of(self.ctx, self.env, p) in ("mask", "list") for p in index if not is_slice(p)
        )

    def check_number(self, value: T.Atom) -> None:
        """An error unless `value` is a number, or a tensor of rank 0."""
        number = isinstance(value.type, TensorType) and not value.type.dims
        if not number and value.type not in _NUMBERS:
            self._refuse(f"a {value.type} where a number is stored")

    def _part(self, x: T.Atom, index: list[ast.expr], value: T.Atom, of_whole: bool) -> T.Atom:
        first, rest = index[0], index[1:]
        kind = "slice" if is_slice(first) else kind_of(self.ctx, self.env, first)
        assert isinstance(x.type, TensorType)
        if kind == "mask" and not rest:
            return self._masked(x, self.ctx.expression(first, self.env), value, of_whole)
        match index:
            case [ast.Slice() as all_, ast.Slice() as part] if is_full(all_) and part.step:
                new = with_columns(self.ctx, self.node, x, part, value, self.env)
                return new or self._refuse("these columns")
        if isinstance(x.type, RowsType):
            if kind != "int":
                self._refuse(f"this part of a {x.type}")
            return self._row_of_list(x, first, rest, value)
        if kind == "list" and not rest:
            return self._listed(x, first, value, of_whole)
        if kind == "int":
            return self._row(x, first, rest, value)
        if kind != "slice":
            self._refuse(f"this part of a {x.type}")
        assert isinstance(first, ast.Slice)
        if is_full(first):
            return self._columns(x, rest[0], value)
        return self._slice(x, first, rest, value, of_whole)

    # -- elements and rows --------------------------------------------------------------------

    def _value(self, text: str, **parts: T.Atom) -> T.Var:
        """A template in which names stand for values."""
        env = self.env.copy()
        names: dict[str, ast.expr] = {}
        for name, atom in parts.items():
            env.names[f"{name} of a store"] = atom
            names[name] = ast.Name(f"{name} of a store", ast.Load())
        found = self.ctx.expression(placed(template(text, **names), self.node), env)
        assert isinstance(found, T.Var)
        return found

    def _number(self, value: T.Atom) -> T.Atom:
        self.check_number(value)
        return self._value("ops.where(v, 1.0, 0.0)", v=value) if is_mask(value) else value

    def _whole(self, x: T.Atom, value: T.Atom) -> T.Atom:
        assert isinstance(x.type, TensorType)
        if value.type == x.type:
            return value
        axes = len(value.type.dims) if isinstance(value.type, TensorType) else 0
        if axes == 0:
            value = self._number(value)
        elif axes > len(x.type.dims):
            self._refuse(f"a {value.type} in the place of a {x.type}")
        elif is_mask(value):
            value = self._value("ops.where(v, 1.0, 0.0)", v=value)
        if not x.type.dims:
            return as_tensor(self.ctx, self.node, widen(value, FLOAT))
        new = self._value("ops.zeros_like(x) + v", x=x, v=value)
        if self._sizes(new) != self._sizes(x):
            self._refuse(f"a {value.type} in the place of a {x.type}")
        return new

    def _sizes(self, x: T.Atom) -> list[Dim]:
        assert isinstance(x.type, TensorType)
        return [d.bind(self.ctx.builder.sizes) for d in x.type.dims]

    def _row(self, x: T.Atom, first: ast.expr, rest: list[ast.expr], value: T.Atom) -> T.Atom:
        at = not_none(self.ctx, first, self.ctx.expression(first, self.env), self.env)
        assert isinstance(x.type, TensorType)
        if len(x.type.dims) == 1:
            value = self._number(value)
            return self._value(
                "ops.where(ops.one_hot(i, x.shape[0]) > 0, v, x)", i=at, v=value, x=x
            )
        row = self.stored(self._value("x[i]", x=x, i=at), rest, value)
        text = "ops.where(ops.one_hot(i, x.shape[0])[:, None] > 0, r, x)"
        return self._value(text, i=at, r=row, x=x)

    def _row_of_list(
        self, x: T.Atom, first: ast.expr, rest: list[ast.expr], value: T.Atom
    ) -> T.Atom:
        assert isinstance(x.type, RowsType)
        item = x.type.item
        if x.type != RowsType.of(item):
            self._refuse("a row of a transposed matrix")
        at = not_none(self.ctx, first, self.ctx.expression(first, self.env), self.env)
        items = listed(x)
        row = list_op(self.ctx, "get", (items, at), item, self.node)
        new = self.stored(row, rest, value)
        made = list_op(self.ctx, "set", (items, at, new), ListType(item), self.node)
        return as_rows(made, item)

    def _columns(self, x: T.Atom, second: ast.expr, value: T.Atom) -> T.Atom:
        """`x[:, j] = value`, `x[:, a:b] = value`."""
        if isinstance(second, ast.Slice):
            bounds = self._bounds(x, second, 1)
            if bounds is None:
                self._refuse("columns between bounds that only the instance knows")
            return self._between(x, 1, *bounds, [], value)
        kind = kind_of(self.ctx, self.env, second)
        if kind == "mask":
            mask = self.ctx.expression(second, self.env)
            if self._sizes(mask) != self._sizes(x)[1:]:
                self._refuse(f"a {mask.type} as a mask of the columns of a {x.type}")
            return self._value("ops.where(m, v, x)", m=mask, v=self._number(value), x=x)
        if kind != "int":
            self._refuse("these columns")
        at = not_none(self.ctx, second, self.ctx.expression(second, self.env), self.env)
        if isinstance(value.type, TensorType) and len(value.type.dims) == 1:
            if is_mask(value):
                value = self._value("ops.where(v, 1.0, 0.0)", v=value)
            value = self._value("v[:, None]", v=value)
        else:
            value = self._number(value)
        return self._value("ops.where(ops.one_hot(j, x.shape[1]) > 0, v, x)", j=at, v=value, x=x)

    def _masked(self, x: T.Atom, mask: T.Atom, value: T.Atom, of_whole: bool) -> T.Atom:
        """`x[mask] = value`."""
        rows = self._sizes(mask) != self._sizes(x)
        if rows and (self._sizes(mask) != self._sizes(x)[:1] or isinstance(x.type, RowsType)):
            self._refuse(f"a {mask.type} as a mask of a {x.type}")
        if not of_whole:
            value = self._number(value)
        text = "ops.where(m[:, None], v, x)" if rows else "ops.where(m, v, x)"
        return self._value(text, m=mask, v=value, x=x)

    def _listed(self, x: T.Atom, part: ast.expr, value: T.Atom, of_whole: bool) -> T.Atom:
        """`x[ids] = number`."""
        if not of_whole:
            value = self._number(value)
        ids = self.ctx.expression(part, self.env)
        env = self.env.copy()
        env.names["x of a store"] = x
        env.names["ids of a store"] = ids
        names = {n: ast.Name(f"{n} of a store", ast.Load()) for n in ("x", "ids")}
        assert isinstance(x.type, TensorType)
        there = template("sum(ops.one_hot(i, x.shape[0]) for i in ids)", **names)
        mask = self.ctx.expression(placed(there, self.node), env)
        text = (
            "ops.where(m[:, None] > 0, v, x)" if len(x.type.dims) > 1 else "ops.where(m > 0, v, x)"
        )
        return self._value(text, m=mask, v=value, x=x)

    # -- slices -------------------------------------------------------------------------------

    def _slice(
        self, x: T.Atom, part: ast.Slice, rest: list[ast.expr], value: T.Atom, of_whole: bool
    ) -> T.Atom:
        bounds = self._bounds(x, part, 0)
        if bounds is not None:
            return self._between(x, 0, *bounds, rest, value)
        if rest:
            self._refuse("a part of rows between bounds that only the instance knows")
        # Each row by its number, which is compared with the bounds.
        assert isinstance(x.type, TensorType)
        total = size_as_number(self.ctx, self.node, x.type.dims[0])
        low, high = (
            default
            if b is None
            else clamped(self.ctx, self.node, slice_bound(self.ctx, b, self.env, default), total)
            for b, default in ((part.lower, T.Const(0, INT)), (part.upper, total))
        )
        places = self._value("ops.cumsum(ops.ones(x.shape[0])) - 1.0", x=x)
        text = "(q >= float(a)) & (q < float(b))"
        mask = self._value(text, q=places, a=low, b=high)
        return self._masked(x, mask, value, of_whole)

    def _bounds(self, x: T.Atom, part: ast.Slice, axis: int) -> tuple[Dim, Dim] | None:
        """The bounds of a slice, if they are known when the model is compiled."""
        assert isinstance(x.type, TensorType)
        if part.step is not None:
            self._refuse("a part with a step")
        total = x.type.dims[axis]
        found: list[Dim] = []
        for bound, default in ((part.lower, Dim.of(0)), (part.upper, total)):
            dim = default if bound is None else dimension(self.ctx, bound, self.env)
            if dim is None:
                return None
            known = dim.known
            found.append(total + dim if known is not None and known < 0 else dim)
        return found[0], found[1]

    def _between(
        self, x: T.Atom, axis: int, low: Dim, high: Dim, rest: list[ast.expr], value: T.Atom
    ) -> T.Atom:
        """What is before the slice, the new part, and what is after it."""
        assert isinstance(x.type, TensorType)
        total = x.type.dims[axis]
        numbers = [d.bind(self.ctx.builder.sizes).known for d in (low, high, total)]
        if all(n is not None for n in numbers):
            a, b, n = (m for m in numbers if m is not None)
            if not 0 <= a < b <= n:
                self._refuse(f"the part {a}:{b} of {n}")
        rest = [placed(ast.Slice(), self.node), *rest] if axis == 0 and rest else rest
        new = self.stored(self._cut(x, axis, low, high), rest, value)
        parts = [new]
        if low != Dim.of(0) and numbers[0] != 0:
            parts.insert(0, self._cut(x, axis, Dim.of(0), low))
        if high != total and (numbers[1] is None or numbers[1] != numbers[2]):
            parts.append(self._cut(x, axis, high, total))
        attrs: Attrs = (("axis", 0),) if axis == 0 and len(x.type.dims) > 1 else ()
        if len(parts) == 1:
            return new
        return tensor_op(self.ctx, "concat", self.node, [(self.node, p) for p in parts], attrs)

    def _cut(self, x: T.Atom, axis: int, low: Dim, high: Dim) -> T.Var:
        attrs: Attrs = (("start", low), ("stop", high))
        assert isinstance(x.type, TensorType)
        if len(x.type.dims) > 1:
            attrs = (("axis", axis), *attrs)
        return tensor_op(self.ctx, "slice", self.node, [(self.node, x)], attrs)

    def _refuse(self, what: str) -> NoReturn:
        self.ctx.fail(
            "AC015",
            self.node,
            f"{what} cannot be stored in place",
            "items and rows one by one, `x[i] = y`, parts with known bounds, or a new tensor by "
            "`ops.where` and `ops.concat`",
        )
