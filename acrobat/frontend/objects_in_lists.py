"""Objects in a list whose fields change: `slots[i].age = 0`, `for s in slots: s.age += 1`.

Values never change, so the list gets a new object at that index: `slots[i] = replace(slots[i],
age=0)`. A method or function that changes the object takes it out and puts it back (`item_calls`).
In Python the change is visible wherever the object is known. It is known through the list
alone if `item_mentions` allows every mention of the list in the function that makes it: these put
objects into it that were made there, and take nothing out of it but fields. A name for an item,
such as the target of a loop, becomes the item's index.
"""

from __future__ import annotations

import ast
from typing import Any

from .context import MISSING, FunctionContext
from .item_calls import with_item_calls
from .item_changes import ItemChanges
from .item_mentions import Mentions
from .item_refusals import Refused
from .listed_items import Items
from .plain_classes import is_plain_class
from .scope import Env
from .syntax import names_assigned
from .written import placed


def with_objects_in_lists(ctx: FunctionContext, tree: ast.FunctionDef) -> None:
    """Rewrite changes of such objects in a function as changes of the lists."""
    calls = (n for n in ast.walk(tree) if isinstance(n, ast.Call))
    if not any(is_plain_class(ctx.static(n.func, Env())) for n in calls):
        return  # it makes no objects
    tree.body = [new for stmt in tree.body for new in _Apart(ctx).each(stmt)]
    for name in sorted(names_assigned(tree.body) & _lists(tree)):
        items = Items(ctx, tree, name)
        items.find()
        mentions = Mentions(items)
        try:
            mentions.check()
            if not mentions.changes:
                continue
            for one in mentions.calls.values():
                one.mark(items)
            ItemChanges(items).visit(tree)
            with_item_calls(ctx, tree, name)
        except Refused as refused:
            if items.classes and mentions.changes:
                ctx.fail("AC030", refused.node, refused.what, refused.instead)


def _lists(tree: ast.FunctionDef) -> set[str]:
    """The names that may be names of lists of objects: they are assigned lists that are written
    out, or something is appended to them."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Assign([ast.Name(name)], value) | ast.AnnAssign(ast.Name(name), value=value):
                parts = ast.walk(value) if value is not None else ()
                if any(isinstance(n, (ast.List, ast.ListComp)) for n in parts):
                    found.add(name)
            case ast.Attribute(ast.Name(name), "append"):
                found.add(name)
    return found


class _Apart(ast.NodeTransformer):
    """Writes `a, b = slots[i], slots[j]` and `slots, others = [], []` as two assignments."""

    def __init__(self, ctx: FunctionContext) -> None:
        self.ctx = ctx

    def each(self, stmt: ast.stmt) -> list[ast.stmt]:
        """The statements that replace one."""
        new = self.visit(stmt)
        return new if isinstance(new, list) else [new]

    def visit_Assign(self, node: ast.Assign) -> Any:
        """One assignment for each name."""
        match node:
            case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)) if len(targets) == len(values):
                names = {t.id for t in targets if isinstance(t, ast.Name)}
                read = {n.id for v in values for n in ast.walk(v) if isinstance(n, ast.Name)}
                if all(map(self._may_wait, values)) and len(names) == len(targets):
                    if names & read:
                        return node
                    pairs = zip(targets, values, strict=True)
                    return [placed(ast.Assign([t], v), node) for t, v in pairs]
        return node

    def _may_wait(self, node: ast.expr) -> bool:
        """Whether a list or an item is the same after assignments to names that it does not read:
        it calls no function inside, which may read others."""
        calls = (n.func for n in ast.walk(node) if isinstance(n, ast.Call))
        known = all(self.ctx.static(f, Env()) is not MISSING for f in calls)
        return known and isinstance(node, (ast.Subscript, ast.List, ast.ListComp))
