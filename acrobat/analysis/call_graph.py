"""Who calls whom, and which functions are recursive."""

from __future__ import annotations

from collections.abc import Mapping

from ..ir import typed as T
from ..ir.rewrite import calls, regions, statements


def callees(module: T.Module) -> Mapping[str, tuple[str, ...]]:
    """Map every function to the functions it calls, each once, in order of first call."""
    return {
        name: tuple(dict.fromkeys(c.function for c in calls(f.body)))
        for name, f in module.functions.items()
    }


def components(module: T.Module) -> list[tuple[str, ...]]:
    """Strongly connected components of the call graph, callees before callers (Tarjan 1972)."""
    graph = callees(module)
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[tuple[str, ...]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for callee in graph[name]:
            if callee not in index:
                visit(callee)
                low[name] = min(low[name], low[callee])
            elif callee in stack:
                low[name] = min(low[name], index[callee])
        if low[name] == index[name]:
            cut = stack.index(name)
            found.append(tuple(stack[cut:]))
            del stack[cut:]

    for name in graph:
        if name not in index:
            visit(name)
    return found


def recursive(module: T.Module) -> frozenset[str]:
    """The functions that can reach themselves."""
    graph = callees(module)
    return frozenset(
        name
        for group in components(module)
        for name in group
        if len(group) > 1 or name in graph[name]
    )


def repeated(module: T.Module) -> frozenset[str]:
    """The functions that may run many times per instance: those that are recursive or called in a
    loop or comprehension, and everything that they call."""
    graph = callees(module)
    found: set[str] = set()
    todo = [*recursive(module)]
    for function in module.functions.values():
        for loop in statements(function.body):
            if isinstance(loop, T.For | T.While | T.Map):
                todo.extend(c.function for r in regions(loop) for c in calls(r))
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo.extend(graph[name])
    return frozenset(found)
