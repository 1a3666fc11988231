"""What a loop or a comprehension runs over."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from ..ir import typed as T
from ..ir.types import INT, ListType, TupleType
from .lists import ONE, ZERO, ListLowerer
from .scope import Env


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


class IterationLowerer(ListLowerer):
    """Adds what loops run over."""

    def turns(self, node: ast.expr, env: Env) -> Turns:
        """What `for ... in node` runs over."""
        callee = self.static(node.func, env) if isinstance(node, ast.Call) else None
        if isinstance(node, ast.Call):
            self._keywords(node, callee)
            if callee is range:
                return self._range(node, env)
            if callee is enumerate and 1 <= len(node.args) + len(node.keywords) <= 2:
                return self._enumerate(node, env)
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
        """The keywords there may be are `strict=False` of zip and `start` of enumerate."""
        for keyword in node.keywords if callee in (range, enumerate, zip, reversed) else ():
            off = isinstance(keyword.value, ast.Constant) and keyword.value.value is False
            if (callee is zip and keyword.arg == "strict" and off) or (
                callee is enumerate and keyword.arg == "start" and len(node.args) == 1
            ):
                continue
            self.fail(
                "AC016",
                keyword.value,
                f"{ast.unparse(node.func)} does not take {keyword.arg!r} here",
                "lists of any length: the shortest one ends the loop"
                if callee is zip
                else "its arguments in order",
            )

    def counted(self, node: ast.expr, env: Env) -> Turns:
        """What `for ... in node` runs over, numbered 0, 1, 2, ..."""
        turns = self.turns(node, env)
        if turns.counts:
            return turns
        if not isinstance(turns.step, T.Const):
            self.fail("AC002", node, "a range with a computed step in here", "a `for` loop")
        start, step = turns.start, turns.step
        assert isinstance(step.value, int)

        def scalar(op: str, a: T.Atom, b: T.Atom) -> T.Atom:
            return self.let(T.Scalar(op, (a, b)), INT, node, "n")

        span = scalar("-", turns.stop, start)
        slack = T.Const(step.value - 1 if step.value > 0 else step.value + 1, INT)
        count = scalar("//", scalar("+", span, slack), step)
        return Turns(
            ZERO, count, ONE, lambda i: turns.item(scalar("+", start, scalar("*", i, step)))
        )

    def lists_of(self, node: ast.expr, env: Env) -> set[str]:
        """The names of the lists that `for ... in node` runs over."""
        if isinstance(node, ast.Name):
            return {node.id}
        if isinstance(node, ast.Call) and self.static(node.func, env) in (enumerate, zip, reversed):
            return set().union(*(self.lists_of(a, env) for a in node.args))
        return set()

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
        parts = [self.counted(arg, env) for arg in node.args]
        stop = parts[0].stop
        for part in parts[1:]:
            stop = self.let(T.Scalar("min", (stop, part.stop)), INT, node, "n")
        return Turns(ZERO, stop, ONE, lambda i: self._pair(node, [part.item(i) for part in parts]))

    def _enumerate(self, node: ast.Call, env: Env) -> Turns:
        inner = self.counted(node.args[0], env)
        first: T.Atom = ZERO
        for source in (*node.args[1:], *(k.value for k in node.keywords)):
            first = self.expression(source, env)
            if first.type != INT:
                self.fail("AC017", source, f"enumerate counts from an int, this is {first.type}")

        def item(i: T.Atom) -> T.Atom:
            number = i
            if first != ZERO:
                number = self.let(T.Scalar("+", (first, i)), INT, node, "i")
            return self._pair(node, [number, inner.item(i)])

        return Turns(ZERO, inner.stop, ONE, item)

    def _reversed(self, node: ast.Call, env: Env) -> Turns:
        (arg,) = node.args
        if isinstance(arg, ast.Call) and self.static(arg.func, env) in (enumerate, zip, reversed):
            self.fail(
                "AC017",
                arg,
                f"{ast.unparse(arg)} cannot be reversed, in Python either",
                "the lists themselves, `reversed(xs)` or `xs[::-1]`",
            )
        inner = self.counted(node.args[0], env)
        last = self.let(T.Scalar("-", (inner.stop, ONE)), INT, node, "last")

        def item(i: T.Atom) -> T.Atom:
            return inner.item(self.let(T.Scalar("-", (last, i)), INT, node, "i"))

        return Turns(ZERO, inner.stop, ONE, item)
