"""Lists: literals, items, slices, comprehensions, and what a loop can run over."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from ..ir import typed as T
from ..ir.types import INT, NOTHING, ListType, NothingType, TupleType, Type, join
from .calls import CallLowerer
from .scope import Env

ZERO, ONE = T.Const(0, INT), T.Const(1, INT)


@dataclass(frozen=True, slots=True)
class Turns:
    """What a loop runs over: an int range, and how an item comes from the range's number. `counts`:
    the range is 0 to `stop` in steps of one."""

    start: T.Atom
    stop: T.Atom
    step: T.Atom
    item: Callable[[T.Atom], T.Atom]

    @property
    def counts(self) -> bool:
        """Whether the range is 0, 1, 2, ..."""
        return self.start == ZERO and self.step == ONE


class ListLowerer(CallLowerer):
    """Adds lists."""

    def list_op(self, op: str, args: tuple[T.Atom, ...], t: Type, node: ast.AST) -> T.Var:
        """One operation on lists."""
        return self.let(T.ListOp(op, args), t, node, "n" if t == INT else "items")

    def list_literal(self, node: ast.List, env: Env) -> T.Var:
        """`[a, b]`, `[*xs, b]`."""
        if any(isinstance(e, ast.Starred) for e in node.elts):
            return self._joined(node, env)
        items = tuple(self.expression(e, env) for e in node.elts)
        t: Type = NOTHING
        for element, item in zip(node.elts, items, strict=True):
            both = join(t, item.type)
            if both is None:
                self.fail(
                    "AC008",
                    element,
                    f"an item of type {item.type} in a list of {t}",
                    "items of one type, or of members of one union",
                )
            t = both
        return self.list_op("make", items, ListType(t), node)

    def _joined(self, node: ast.List, env: Env) -> T.Var:
        """A literal with lists in it: its parts, one behind the other."""
        parts: list[ast.expr] = []
        single: list[ast.expr] = []
        for element in [*node.elts, None]:
            if isinstance(element, ast.expr) and not isinstance(element, ast.Starred):
                single.append(element)
                continue
            if single:
                parts.append(ast.copy_location(ast.List(single, ast.Load()), node))
                single = []
            if element is not None:
                parts.append(element.value)
        whole = parts[0]
        for part in parts[1:]:
            whole = ast.copy_location(ast.BinOp(whole, ast.Add(), part), node)
        if len(parts) == 1:
            empty = ast.copy_location(ast.List([], ast.Load()), node)
            whole = ast.copy_location(ast.BinOp(whole, ast.Add(), empty), node)
        items = self.expression(whole, env)
        if not isinstance(items, T.Var) or not isinstance(items.type, ListType):
            self.fail("AC017", node, f"`*` of a {items.type} in a list", "a list")
        return items

    def length(self, items: T.Atom, node: ast.AST) -> T.Var:
        """len(items)."""
        return self.list_op("len", (items,), INT, node)

    def list_item(self, node: ast.Subscript, items: T.Atom, index: ast.expr, env: Env) -> T.Var:
        """`xs[i]` or `xs[a:b]`."""
        assert isinstance(items.type, ListType)
        if isinstance(index, ast.Slice):
            return self.list_slice(node, items, index, env)
        at = self.expression(index, env)
        if at.type != INT:
            self.fail("AC017", index, f"an item of a list is chosen by an int, this is {at.type}")
        if isinstance(items.type.item, NothingType):
            self.fail("AC027", node, "an item of an empty list")
        return self.list_op("get", (items, at), items.type.item, node)

    def list_slice(self, node: ast.Subscript, items: T.Atom, index: ast.Slice, env: Env) -> T.Var:
        step = 1 if index.step is None else self.literal(index.step)
        if step == -1 and index.lower is None and index.upper is None:
            return self.list_op("reverse", (items,), items.type, node)
        if step != 1:
            self.fail("AC002", index, "a slice of a list with a step", "`xs[a:b]`, or `xs[::-1]`")
        start = ZERO if index.lower is None else self._bound(index.lower, env)
        stop = self.length(items, node) if index.upper is None else self._bound(index.upper, env)
        return self.list_op("slice", (items, start, stop), items.type, node)

    def _bound(self, part: ast.expr, env: Env) -> T.Atom:
        bound = self.expression(part, env)
        if bound.type != INT:
            self.fail("AC017", part, f"a bound of a slice is an int, this is {bound.type}")
        return bound

    # -- what loops run over -----------------------------------------------------------------

    def turns(self, node: ast.expr, env: Env) -> Turns:
        """What `for ... in node` runs over."""
        callee = self.static(node.func, env) if isinstance(node, ast.Call) else None
        if isinstance(node, ast.Call):
            self._keywords(node, callee)
            if callee is range:
                return self._range(node, env)
            if callee is enumerate and len(node.args) == 1:
                inner = self._counted(node.args[0], env)
                return Turns(ZERO, inner.stop, ONE, lambda i: self._pair(node, [i, inner.item(i)]))
            if callee is zip and node.args:
                return self._zip(node, env)
            if callee is reversed and len(node.args) == 1:
                return self._reversed(node, env)
        items = self.peek(node, env)
        if not isinstance(items.type, ListType):
            self.fail(
                "AC017",
                node,
                f"a loop runs over a list or a range, this is {items.type}",
                "a `list[...]`, `range(n)`, or `enumerate`, `zip`, `reversed` of lists",
            )
        item = items.type.item
        return Turns(
            ZERO,
            self.length(items, node),
            ONE,
            lambda i: self.list_op("get", (items, i), item, node),
        )

    def _keywords(self, node: ast.Call, callee: object) -> None:
        """The one keyword there may be is `strict=False` of zip."""
        for keyword in node.keywords if callee in (range, enumerate, zip, reversed) else ():
            off = isinstance(keyword.value, ast.Constant) and keyword.value.value is False
            if callee is not zip or keyword.arg != "strict" or not off:
                self.fail(
                    "AC016",
                    keyword.value,
                    f"{ast.unparse(node.func)} does not take {keyword.arg!r} here",
                    "lists of any length: the shortest one ends the loop",
                )

    def _counted(self, node: ast.expr, env: Env) -> Turns:
        inner = self.turns(node, env)
        if not inner.counts:
            self.fail("AC002", node, "a range that does not count from 0 by 1 in here", "range(n)")
        return inner

    def _pair(self, node: ast.AST, items: list[T.Atom]) -> T.Var:
        t = TupleType(tuple(i.type for i in items))
        return self.let(T.MakeTuple(tuple(items)), t, node, "pair")

    def _range(self, node: ast.Call, env: Env) -> Turns:
        if not 1 <= len(node.args) <= 3:
            self.fail("AC016", node, f"range takes 1 to 3 arguments, got {len(node.args)}")
        bounds: list[T.Atom] = []
        for arg in node.args:
            bound = self.peek(arg, env)
            if bound.type != INT:
                self.fail("AC017", arg, f"range takes ints, this is {bound.type}")
            bounds.append(bound)
        if len(bounds) == 1:
            bounds.insert(0, ZERO)
        start, stop = bounds[:2]
        step = bounds[2] if len(bounds) > 2 else ONE
        if isinstance(step, T.Const) and step.value == 0:
            self.fail("AC002", node, "range() with step 0", "a step of 1 or -1")
        return Turns(start, stop, step, lambda i: i)

    def _zip(self, node: ast.Call, env: Env) -> Turns:
        parts = [self._counted(arg, env) for arg in node.args]
        stop = parts[0].stop
        for part in parts[1:]:
            stop = self.let(T.Scalar("min", (stop, part.stop)), INT, node, "n")
        return Turns(ZERO, stop, ONE, lambda i: self._pair(node, [part.item(i) for part in parts]))

    def _reversed(self, node: ast.Call, env: Env) -> Turns:
        inner = self._counted(node.args[0], env)
        last = self.let(T.Scalar("-", (inner.stop, ONE)), INT, node, "last")

        def item(i: T.Atom) -> T.Atom:
            return inner.item(self.let(T.Scalar("-", (last, i)), INT, node, "i"))

        return Turns(ZERO, inner.stop, ONE, item)

    # -- comprehensions ------------------------------------------------------------------------

    def comprehension(self, node: ast.ListComp, env: Env) -> T.Var:
        """`[f(x) for x in xs if c]`: every turn by itself."""
        if len(node.generators) != 1:
            self.fail(
                "AC002",
                node,
                "a comprehension with two `for`",
                "a comprehension inside a comprehension, or loops",
            )
        (generator,) = node.generators
        turns = self.turns(generator.iter, env)
        count, number = self._counting(turns, generator.iter)
        index = T.Var("i", INT)
        inner = env.copy()
        inner.owned.clear()
        outer, self.stmts = self.stmts, []
        try:
            self.assign(generator.target, turns.item(number(index)), inner)
            keep: T.Atom | None = None
            if generator.ifs:
                test = generator.ifs[0]
                if len(generator.ifs) > 1:
                    test = ast.copy_location(ast.BoolOp(ast.And(), list(generator.ifs)), node)
                keep = self.condition(test, inner)
            if keep is None:
                value = self.expression(node.elt, inner)
                end = T.Yield((value,))
            else:
                value, end = self._kept(node, keep, inner)
            body = T.Region(tuple(self.stmts), end)
        finally:
            self.stmts = outer
        if keep is not None:
            return self._filtered(node, index, count, body, value)
        out = T.Var("items", ListType(value.type))
        self.stmts.append(T.Map((out,), index, count, body, False, self.span(node)))
        return out

    def _kept(self, node: ast.ListComp, keep: T.Atom, env: Env) -> tuple[T.Atom, T.Yield]:
        """The element where the filter holds, in a list of one item; else an empty list: an element
        must not be computed where the filter says that it cannot be."""
        outer, self.stmts = self.stmts, []
        try:
            value = self.expression(node.elt, env)
            one = self.list_op("make", (value,), ListType(value.type), node)
            then = T.Region(tuple(self.stmts), T.Yield((one,)))
            self.stmts = []
            none = self.list_op("make", (), ListType(value.type), node)
            orelse = T.Region(tuple(self.stmts), T.Yield((none,)))
        finally:
            self.stmts = outer
        out = T.Var("kept", ListType(value.type))
        self.stmts.append(T.If((out,), keep, then, orelse, self.span(node)))
        return out, T.Yield((keep, out))

    def _filtered(
        self, node: ast.ListComp, index: T.Var, count: T.Atom, body: T.Region, kept: T.Atom
    ) -> T.Var:
        """The items that were kept, out of their lists of one."""
        lists = T.Var("kept", ListType(kept.type))
        self.stmts.append(T.Map((lists,), index, count, body, True, self.span(node)))
        assert isinstance(kept.type, ListType)
        again, i = T.Var("items", kept.type), T.Var("i", INT)
        outer, self.stmts = self.stmts, []
        one = self.list_op("get", (lists, i), kept.type, node)
        item = self.list_op("get", (one, ZERO), kept.type.item, node)
        region = T.Region(tuple(self.stmts), T.Yield((item,)))
        self.stmts = outer
        length = self.length(lists, node)
        self.stmts.append(T.Map((again,), i, length, region, False, self.span(node)))
        return again

    def _counting(self, turns: Turns, node: ast.AST) -> tuple[T.Atom, Callable[[T.Atom], T.Atom]]:
        """How many turns there are, and the range's number of turn i."""
        if turns.counts:
            return turns.stop, lambda i: i
        if not isinstance(turns.step, T.Const):
            self.fail(
                "AC002", node, "a range with a computed step in a comprehension", "a `for` loop"
            )
        step = turns.step
        assert isinstance(step.value, int)

        def scalar(op: str, a: T.Atom, b: T.Atom) -> T.Atom:
            return self.let(T.Scalar(op, (a, b)), INT, node, "n")

        span = scalar("-", turns.stop, turns.start)
        slack = T.Const(step.value - 1 if step.value > 0 else step.value + 1, INT)
        count = scalar("//", scalar("+", span, slack), step)
        return count, lambda i: scalar("+", turns.start, scalar("*", i, step))

    def assign(self, target: ast.expr, atom: T.Atom, env: Env) -> None:
        """Bind the names of `target` to `atom`."""
        raise NotImplementedError
