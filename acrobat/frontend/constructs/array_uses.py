"""What the syntax tells of an array that a function changes in place: which uses only read it,
without giving it, or a view of it, another name.

The same of lists and dicts of arrays, of which an array is an item.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

import numpy as np

from ..array_flow import may_precede
from ..context import MISSING
from ..syntax import named_values
from .array_making import MAKES, METHOD_COPIES, VIEWS, Making, copies, is_one, keeps
from .changed_results import changed_arrays
from .object_records import Snapshot
from .operations import operation_name

# A use reads the array; it is a loop, whose targets stand for parts of the array; or it may give
# the array another name (None).
READS = "reads"
Use = ast.For | str | None

_NUMBERS = ("argmax", "argmin", "any", "all", "tolist", "prod", "trace", "item")
_METHOD_VIEWS = ("reshape", "transpose", "ravel", "squeeze", "swapaxes")
_READERS = (np.argmax, np.argmin, np.argsort, np.all, np.any, np.allclose, np.array_equal, np.trace)
_READERS_OF_PYTHON = (len, float, int, sum, abs, bool)
_SIZES = ("shape", "size", "ndim")


@dataclass(slots=True)
class Uses(Making):
    """Finds how arrays are used in a function; `returns` is what a `return` of one counts as: a
    function no longer uses what it returns."""

    returns: Use = READS

    # -- uses of an array ---------------------------------------------------------------------

    def use(self, node: ast.expr) -> Use:
        """How an expression that is the array, or a view of it, is used."""
        parent = self.flow.parents[id(node)]
        match parent:
            case ast.BinOp() | ast.UnaryOp() | ast.Compare() | Snapshot() | ast.Expr():
                return READS
            case ast.Return():
                # A function inside of it may be called again.
                return None if self.flow.steps[id(parent)].nested else self.returns
            case ast.If(test) | ast.While(test) | ast.Assert(test) if test is node:
                return READS
            case ast.IfExp(test):
                return READS if test is node else self.use(parent)
            case ast.keyword(arg=arg):
                whole = self.flow.parents[id(parent)]
                if arg is not None and "." in arg:
                    return READS  # the same field, as a parameter of a function
                if not isinstance(whole, ast.Call):
                    return None
                return READS if _is_changed(node, whole) else self._argument(whole)
            case ast.AugAssign(target, _, value):
                return READS if value is node or target is node else None
            case ast.Assign(targets, value) if value is node:
                return READS if all(map(self._is_part, targets)) else None
            case ast.Attribute(attr=attr):
                return self._attribute(parent, attr)
            case ast.Call(func) if func is not node:
                return READS if _is_changed(node, parent) else self._argument(parent)
            case ast.Tuple() if isinstance(whole := self.flow.parents[id(parent)], ast.Subscript):
                return READS if whole.slice is parent else None
            case ast.Tuple() if isinstance(whole := self.flow.parents[id(parent)], ast.Return):
                return None if self.flow.steps[id(whole)].nested else self.returns
            case ast.Subscript(value=value):
                if value is not node:
                    return READS  # as an index: what it chooses is copied
                if isinstance(parent.ctx, ast.Store) or self._is_item(node, parent.slice):
                    return READS
                return self.use(parent)
            case ast.For() | ast.comprehension():
                return self._loop(parent, node)
        return None

    def _is_part(self, target: ast.expr) -> bool:
        """Whether a target is a part of an array, into which numpy copies what is assigned."""
        while isinstance(target, ast.Subscript):
            target = target.value
            if isinstance(target, ast.Name):
                stores = self.flow.names.get(target.id, ())
                if any(isinstance(n, ast.arg) for n in stores):
                    return False  # what a function is given may be a list
                values = [v for n in stores for _, v in named_values(self.flow.parents[id(n)])]
                return self.is_array(target.id) and all(map(self.fresh, values))
        return False

    def _is_item(self, node: ast.expr, index: ast.expr) -> bool:
        """Whether the index chooses a number of a vector, or copies some: no slice, no new axis."""
        if not isinstance(node, ast.Name) or not self.is_vector(node.id):
            return False
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        return all(
            isinstance(p.value, int) if isinstance(p, ast.Constant) else self._is_local(p)
            for p in parts
        )

    def _is_local(self, part: ast.expr) -> bool:
        return not isinstance(part, ast.Slice) and self.static(part) is MISSING

    def _attribute(self, node: ast.Attribute, attr: str) -> Use:
        called = isinstance(self.flow.parents[id(node)], ast.Call)
        if attr in _SIZES:
            return READS
        if called and self.methods(attr):
            return None
        if called and attr in (*MAKES, *_NUMBERS):
            return READS
        if called and attr in METHOD_COPIES:
            whole = self.flow.parents[id(node)]
            return None if keeps(whole) else READS
        if attr == "T":
            return self.use(node)
        if called and attr in _METHOD_VIEWS:
            whole = self.flow.parents[id(node)]
            assert isinstance(whole, ast.Call)
            return self.use(whole)
        return None

    def _argument(self, call: ast.Call) -> Use:
        """An array as an argument of a call."""
        function = self.static(call.func)
        operation = operation_name(function)
        if operation is not None:
            return self.use(call) if operation in VIEWS else READS
        if is_one(function, (*_READERS, *_READERS_OF_PYTHON)):
            return READS
        if copies(function):
            given = any(k.arg in (None, "out", "copy") for k in call.keywords)
            return None if given else READS
        return None

    # -- uses of a list or a dict of arrays ---------------------------------------------------

    def use_of_items(self, node: ast.expr) -> Use:
        """How an expression that is a list or a dict with the arrays is used."""
        parent = self.flow.parents[id(node)]
        match parent:
            case ast.Subscript(value=value, slice=index) if value is node:
                return self._item(parent, index)
            case ast.Attribute(attr=attr):
                return self._method(parent, attr)
            case ast.Call(func) if func is not node:
                function = self.static(func)
                if function is len:
                    return READS
                if is_one(function, (list, tuple, reversed)):
                    return self.use_of_items(parent)
                stacked = copies(function) or operation_name(function) in ("stack", "concat")
                start = len(parent.args) > 1 or bool(parent.keywords)
                if stacked or (function is sum and not start):
                    return READS
                if is_one(function, (zip, enumerate)):
                    return self._items_in_loop(parent, node)
                return None
            case ast.Compare() | ast.UnaryOp(ast.Not()) | ast.Expr() | ast.Delete():
                return READS
            case ast.If(test) | ast.While(test) | ast.Assert(test) if test is node:
                return READS
            case ast.IfExp(test) if test is node:
                return READS
            case ast.BinOp() | ast.BoolOp() | ast.IfExp():
                return self.use_of_items(parent)
            case ast.Return():
                return None if self.flow.steps[id(parent)].nested else READS
            case ast.Tuple() if isinstance(whole := self.flow.parents[id(parent)], ast.Return):
                return None if self.flow.steps[id(whole)].nested else READS
            case ast.For() | ast.comprehension():
                return self._loop(parent, node)
        return None

    def _item(self, node: ast.Subscript, index: ast.expr) -> Use:
        parent = self.flow.parents[id(node)]
        if isinstance(index, ast.Slice):
            return self.use_of_items(node) if isinstance(node.ctx, ast.Load) else None
        if isinstance(node.ctx, ast.Load):
            return self.use(node)
        match parent:
            case ast.Assign([_], value):
                return READS if self.fresh(value) or self._moves(value) else None
            case ast.AugAssign() | ast.Delete():
                return READS
        return None

    def _moves(self, value: ast.expr) -> bool:
        """Whether `value` is a name of a new array that means another one, or none, from here
        on."""
        if not isinstance(value, ast.Name):
            return False
        mentions, steps = self.flow.names[value.id], self.flow.steps
        stores = [n for n in mentions if not isinstance(getattr(n, "ctx", None), ast.Load)]
        made = [v for n in stores for _, v in named_values(self.flow.parents[id(n)])]
        if len(made) < len(stores) or not all(map(self.fresh, made)):
            return False
        news, here = [steps[id(n)] for n in stores], steps[id(value)]
        others = [n for n in mentions if n not in stores and n is not value]
        if any(not isinstance(n, ast.expr) or self.use(n) != READS for n in others):
            return False
        if any(may_precede(here, steps[id(n)], news) for n in others):
            return False
        # In a loop, it must be another array every time.
        before = (n for n in news if n.block in here.blocks and n.order < here.order)
        return not here.nested and any(here.loops <= n.loops for n in before)

    def _method(self, node: ast.Attribute, attr: str) -> Use:
        called = self.flow.parents[id(node)]
        if not isinstance(called, ast.Call) or called.keywords:
            return None
        match attr, called.args:
            case ("append", [value]) | ("insert", [_, value]):
                return READS if self.fresh(value) or self._moves(value) else None
            case "extend", [values]:
                return READS if self.fresh_items(values) else None
            case "clear" | "reverse" | "keys", []:
                return READS
            case "pop", _:
                return READS  # the array leaves the list
            case "get", _:
                return self.use(called)
            case "setdefault", [_, value]:
                return self.use(called) if self.fresh(value) else None
            case "values" | "items", []:
                return self._items_in_loop(called, called)
        return None

    # -- loops --------------------------------------------------------------------------------

    def _items_in_loop(self, call: ast.expr, node: ast.expr) -> Use:
        outer = self.flow.parents[id(call)]
        while isinstance(outer, ast.Call) and is_one(
            self.static(outer.func), (zip, enumerate, reversed, list)
        ):
            call, outer = outer, self.flow.parents[id(outer)]
        return self._loop(outer, node) if isinstance(outer, (ast.For, ast.comprehension)) else None

    def _loop(self, loop: ast.For | ast.comprehension, node: ast.expr) -> Use:
        """A loop whose targets stand for parts of the array: they must be read there alone."""
        if not self.flow.within(node, loop.iter):
            return None
        target = self._target(loop.iter, loop.target, node)
        if target is None:
            return None
        whole = loop if isinstance(loop, ast.For) else self.flow.parents[id(loop)]
        for name in {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}:
            for found in self.flow.names.get(name, ()):
                if not self.flow.within(found, whole):
                    if isinstance(loop, ast.For):
                        return None  # the last item, or another value of the same name
                    continue
                if self.flow.steps[id(found)].nested:
                    return None
                if not isinstance(found, ast.Name):
                    return None
                if isinstance(found.ctx, ast.Load):
                    if self.use(found) != READS:
                        return None
                elif not self.flow.within(found, target):
                    return None  # changed in place, or bound again
        return loop if isinstance(loop, ast.For) else READS

    def _target(self, over: ast.expr, target: ast.expr, node: ast.expr) -> ast.expr | None:
        """The part of a loop's target that stands for parts of the array; None if unclear."""
        if over is node and not isinstance(over, ast.Call):
            return target
        match over, target:
            case ast.Call(ast.Attribute(_, "values"), []), _ if over is node:
                return target
            case ast.Call(ast.Attribute(_, "items"), []), ast.Tuple([_, value]) if over is node:
                return value
            case ast.Call(func, [inner, *_]), ast.Tuple([_, value]) if (
                self.static(func) is enumerate
            ):
                return self._target(inner, value, node)
            case ast.Call(func, args), ast.Tuple(parts) if self.static(func) is zip:
                if len(args) != len(parts):
                    return None
                for arg, part in zip(args, parts, strict=True):
                    if self.flow.within(node, arg):
                        return self._target(arg, part, node)
            case ast.Call(func, [inner]), _ if is_one(self.static(func), (reversed, list)):
                return self._target(inner, target, node)
            case ast.Subscript(value, ast.Slice()), _:
                return self._target(value, target, node)
        return None


def _is_changed(node: ast.expr, call: ast.Call) -> bool:
    """Whether a call changes an array that it gets: what it does with it is checked there."""
    return isinstance(node, ast.Name) and node.id in changed_arrays(call)
