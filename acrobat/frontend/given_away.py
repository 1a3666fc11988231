"""Errors for dicts with defaults, queues and sets that are used in ways that are not supported."""

from __future__ import annotations

import ast

from .context import FunctionContext

_READ = "`d = {}`, `d.setdefault(k, []).append(x)`, and `d.get(k, [])` to read"
_COUNT = "`d = {}`, and `d[k] = d.get(k, 0) + 1`"
# What makes one -> what it is, and what to write instead.
_KINDS = {
    "defaultdict": ("dict", _READ),
    "Counter": ("dict", _COUNT),
    "deque": ("queue", "a list: `xs.pop(0)` takes constant time"),
    "iter": ("iterator", "the list, and an index: `xs[i]`, `i += 1`"),
    "set": ("set", "a list, or `sorted(...)` of the set: its items have no order"),
}


def instead_of_collection(text: str) -> str | None:
    """What to write instead of a call of `collections.deque` and the like; None for other calls."""
    found = _KINDS.get(text.removeprefix("collections."))
    return None if found is None else found[1]


def refuse_given_away(ctx: FunctionContext, node: ast.expr) -> None:
    """The error for a dict, queue or set that `node` makes, if it is used in such a way."""
    use = ctx.given_away.get(id(node))
    if use is None:
        return
    text = ast.unparse(node.func) if isinstance(node, ast.Call) else "set"
    kind, instead = _KINDS.get(text.removeprefix("collections."), _KINDS["defaultdict"])
    first, *_ = ast.unparse(use).splitlines()
    ctx.fail(
        "AC012" if isinstance(node, ast.Call) else "AC002",
        node,
        f"{text if isinstance(node, ast.Call) else 'this'} is for a {kind} that has one name, in "
        f"this function alone: line {ctx.span(use).line} has `{first}`",
        instead,
    )
