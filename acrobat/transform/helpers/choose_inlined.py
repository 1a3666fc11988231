"""Choose which calls are inlined, so that the program does not grow too much.

If a function is called twice by one that is itself called twice, and so on, inlining doubles the
program on every level. A function of more than `MAX_INLINED` statements is not inlined; and as long
as the whole program would exceed both `MAX_PROGRAM` statements and twice what the author wrote,
that limit is halved: small functions, which gain most from it, are inlined, large ones called.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...analysis.call_graph import components
from ...ir import typed as T
from ...ir.names import authors
from ...ir.rewrite import called, statements
from ...limits import MAX_INLINED, MAX_PROGRAM
from ...log import logger


@dataclass(slots=True)
class Inlined:
    """The functions whose calls are replaced, and which of them become straight-line code."""

    functions: set[str] = field(default_factory=set)
    straight: set[str] = field(default_factory=set)

    def takes(self, rhs: T.Rhs) -> bool:
        """Whether `rhs` is a call, or the calls of a `parallel`, to be replaced."""
        names = {c.function for c in called(rhs)}
        return bool(names) and names <= (
            self.straight if isinstance(rhs, T.Parallel) else self.functions
        )


@dataclass(frozen=True, slots=True)
class _Function:
    """The facts that matter about a function: the number of statements other than calls, the
    right-hand sides that call, and whether all statements are lets."""

    others: int
    calls: tuple[T.Rhs, ...]
    lets: bool


def choose_inlined(module: T.Module, bodies: Mapping[str, T.Function]) -> Inlined:
    """Choose the functions to inline from `bodies`, those that can be inlined. A log line names
    the others, which would make the program too large."""
    known = {n: _function(bodies.get(n, f)) for n, f in module.functions.items()}
    order = [n for group in components(module) for n in group]
    written = sum(f.others + len(f.calls) for f in known.values())
    most = MAX_INLINED
    while True:
        inlined, sizes = _inlined(known, order, bodies, most)
        kept = _kept(known, inlined, module.entry)
        if most == 0 or sum(sizes[n] for n in kept) <= max(MAX_PROGRAM, 2 * written):
            break
        most //= 2
    left = [authors(n) for n in order if n in bodies and n not in inlined.functions]
    if left:
        logger.info(
            "%s: calls of %s are not inlined, for the program would grow too large (more than %d "
            "statements each)",
            authors(module.entry),
            ", ".join(left),
            most,
        )
    return inlined


def _function(f: T.Function) -> _Function:
    found = list(statements(f.body))
    calling = tuple(s.rhs for s in found if isinstance(s, T.Let) and called(s.rhs))
    return _Function(
        len(found) - len(calling), calling, all(isinstance(s, T.Let) for s in f.body.stmts)
    )


def _inlined(
    known: Mapping[str, _Function],
    order: list[str],
    bodies: Mapping[str, T.Function],
    most: int,
) -> tuple[Inlined, Mapping[str, int]]:
    """What is inlined if functions may have up to `most` statements, and how many statements every
    function then has. `order`: callees first."""
    sizes: dict[str, int] = {}
    inlined = Inlined()
    for name in order:
        f = known[name]
        taken = [inlined.takes(rhs) for rhs in f.calls]
        sizes[name] = f.others + sum(
            sum(sizes[c.function] for c in called(rhs)) if take else 1
            for rhs, take in zip(f.calls, taken, strict=True)
        )
        if name in bodies and sizes[name] <= most:
            inlined.functions.add(name)
            if f.lets and all(taken):
                inlined.straight.add(name)
    return inlined, sizes


def _kept(known: Mapping[str, _Function], inlined: Inlined, entry: str) -> set[str]:
    """The functions that remain: `entry`, and those that are still called."""
    kept, seen, work = {entry}, {entry}, [entry]
    while work:
        for rhs in known[work.pop()].calls:
            names = {c.function for c in called(rhs)}
            if not inlined.takes(rhs):
                kept |= names
            work += names - seen
            seen |= names
    return kept
