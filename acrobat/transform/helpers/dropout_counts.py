"""How many dropouts and calls of models functions and regions count, where that is known."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field

from ...ir import typed as T
from ...ir.rewrite import called, regions, statements


@dataclass(slots=True)
class Counts:
    """`of(region)` is the count along the paths through a region to its end; None if they differ,
    or if it is not known. `drawing` are the functions that reach a dropout."""

    module: T.Module
    drawing: Set[str]
    helpers: dict[str, int | None] = field(default_factory=dict)

    def takes_number(self, name: str) -> bool:
        """Whether the function is a helper that gets the number at the call as an argument."""
        is_helper = self.module.functions[name].is_helper
        return is_helper and (name in self.drawing or self.gives(name))

    def gives(self, name: str) -> bool:
        """Whether the function is a helper that returns the number that it has reached."""
        return self.module.functions[name].is_helper and self._helper(name) is None

    def call(self, call: T.Call) -> int | None:
        """By how much a call advances the number of the calling function; None if not known."""
        if not self.module.functions[call.function].is_helper:
            return 1
        return self._helper(call.function)

    def counts_anything(self, region: T.Region) -> bool:
        """Whether `region` contains anything that counts."""
        return any(self._own(s) != 0 for s in statements(region) if isinstance(s, T.Let))

    def of(self, region: T.Region) -> int | None:
        """See the class."""
        total = 0
        for stmt in region.stmts:
            n = self._statement(stmt)
            if n is None:
                return None
            total += n
        return total

    def _helper(self, name: str) -> int | None:
        if name not in self.helpers:
            body = self.module.functions[name].body
            # Nothing is known about a recursion, unless it contains nothing to count.
            reached = self._reached_helpers(name)
            if not any(self._counts(self.module.functions[h]) for h in reached):
                self.helpers.update(dict.fromkeys(reached, 0))
                return 0
            self.helpers[name] = None
            self.helpers[name] = self._to_returns(body)
        return self.helpers[name]

    def _reached_helpers(self, name: str) -> set[str]:
        """The helper `name`, and the helpers that it reaches through helpers."""
        found, work = {name}, [name]
        while work:
            for stmt in statements(self.module.functions[work.pop()].body):
                for call in called(stmt.rhs) if isinstance(stmt, T.Let) else ():
                    is_helper = self.module.functions[call.function].is_helper
                    if is_helper and call.function not in found:
                        found.add(call.function)
                        work.append(call.function)
        return found

    def _counts(self, function: T.Function) -> bool:
        """Whether `function` contains a dropout or the call of a model."""
        return any(
            _is_dropout(s) or any(not self.module.functions[c.function].is_helper for c in found)
            for s in statements(function.body)
            if isinstance(s, T.Let)
            for found in (called(s.rhs),)
        )

    def _to_returns(self, body: T.Region) -> int | None:
        """The count at the returns of a function; None if they differ, or if it is not known."""
        if any(
            isinstance(s, (T.For, T.While)) and _returns(s) and self._loop_counts(s)
            for s in statements(body)
        ):
            return None
        found = self._ways(body)
        return found.pop() if len(found) == 1 else None

    def _ways(self, region: T.Region) -> set[int | None]:
        """The counts along the paths to the returns in a region; None for one that is not known."""
        total: int | None = 0
        ways: set[int | None] = set()
        for stmt in region.stmts:
            if not isinstance(stmt, T.Let):
                for inner in regions(stmt):
                    for way in self._ways(inner):
                        ways.add(None if way is None or total is None else total + way)
            n = self._statement(stmt)
            total = None if n is None or total is None else total + n
        if isinstance(region.end, T.Return):
            ways.add(total)
        return ways

    def _loop_counts(self, loop: T.For | T.While) -> bool:
        return any(self.counts_anything(r) for r in regions(loop))

    def _own(self, stmt: T.Let) -> int | None:
        if _is_dropout(stmt):
            return 1
        total = 0
        for call in called(stmt.rhs):
            n = self.call(call)
            if n is None:
                return None
            total += n
        return total

    def _statement(self, stmt: T.Stmt) -> int | None:
        match stmt:
            case T.Let():
                return self._own(stmt)
            case T.If() | T.Match():
                # Only the branches that fall through: one that leaves does not reach the rest.
                found = {self.of(r) for r in regions(stmt) if isinstance(r.end, T.Yield)}
                return 0 if not found else found.pop() if len(found) == 1 else None
            case T.For() | T.While() | T.Map():
                return None if any(map(self.counts_anything, regions(stmt))) else 0


def leaves_early(body: T.Region) -> bool:
    """Whether the loop with this body contains a `break` or `continue` of its own."""
    if isinstance(body.end, (T.Break, T.Continue)):
        return True
    return any(
        leaves_early(r) for s in body.stmts if isinstance(s, (T.If, T.Match)) for r in regions(s)
    )


def _is_dropout(stmt: T.Let) -> bool:
    return isinstance(stmt.rhs, T.Op) and stmt.rhs.name == "dropout"


def _returns(loop: T.Stmt) -> bool:
    work = list(regions(loop))
    while work:
        region = work.pop()
        if isinstance(region.end, T.Return):
            return True
        work += [r for s in region.stmts for r in regions(s)]
    return False
