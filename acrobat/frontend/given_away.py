"""Errors for dicts with defaults, queues, sets and iterators that are used in ways that are not
supported."""

from __future__ import annotations

import ast

from .context import FunctionContext
from .written import shown

# An attribute of statements that change what the items of an iterator are computed from.
CHANGES = "_acrobat_changes"
_READ = "`d = {}`, `d.setdefault(k, []).append(x)`, and `d.get(k, [])` to read"
_COUNT = "`d = {}`, and `d[k] = d.get(k, 0) + 1`"
# What makes one -> what it is, and what to write instead.
_KINDS = {
    "defaultdict": ("dict", _READ),
    "Counter": ("dict", _COUNT),
    "deque": ("queue", "a list: `xs.pop(0)` takes constant time"),
    "iter": ("iterator", "the list, and an index: `xs[i]`, `xs[i:i + 3]`"),
    "map": ("iterator", "`list(map(...))`"),
    "filter": ("iterator", "`list(filter(...))`"),
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
    called = isinstance(node, ast.Call)
    text = shown(node.func) if isinstance(node, ast.Call) else "this"
    name = text if called else "iter" if isinstance(node, ast.GeneratorExp) else "set"
    kind, instead = _KINDS.get(name.removeprefix("collections."), _KINDS["defaultdict"])
    first, *_ = shown(use).splitlines()
    where = f"line {ctx.span(use).line} has `{first}`"
    if isinstance(node, ast.GeneratorExp):
        instead = f"a list, `[{ast.unparse(node)[1:-1]}]`"
    if getattr(use, CHANGES, False):
        message = f"{text} computes an item when it is taken, and what it reads changes: {where}"
    else:
        article = "an" if kind == "iterator" else "a"
        message = (
            f"{text} is for {article} {kind} that has one name, in this function alone: {where}"
        )
    ctx.fail("AC012" if called else "AC002", node, message, instead)
