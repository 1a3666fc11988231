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

from .context import MISSING, FunctionContext
from .item_calls import with_item_calls
from .item_changes import ItemChanges
from .item_mentions import Mentions
from .item_refusals import Refused
from .listed_items import Items
from .object_numbers import is_number_class
from .pairs_apart import with_pairs_apart
from .plain_classes import is_plain_class
from .scope import Env
from .syntax import named_values, names_assigned


def with_objects_in_lists(ctx: FunctionContext, tree: ast.FunctionDef) -> None:
    """Rewrite changes of such objects in a function as changes of the lists."""
    called = (ctx.static(n.func, Env()) for n in ast.walk(tree) if isinstance(n, ast.Call))
    if not any(is_plain_class(c) and not is_number_class(c) for c in called):
        return  # it makes no objects, or only numbers of them
    with_pairs_apart(tree, lambda values: all(_may_wait(ctx, v) for v in values))
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
        for name, value in named_values(node):
            if any(isinstance(n, (ast.List, ast.ListComp)) for n in ast.walk(value)):
                found.add(name)
        match node:
            case ast.Attribute(ast.Name(name), "append"):
                found.add(name)
    return found


def _may_wait(ctx: FunctionContext, node: ast.expr) -> bool:
    """Whether a list or an item is the same after assignments to names that it does not read: it
    calls no function inside, which may read others."""
    calls = (n.func for n in ast.walk(node) if isinstance(n, ast.Call))
    known = all(ctx.static(f, Env()) is not MISSING for f in calls)
    return known and isinstance(node, (ast.Subscript, ast.List, ast.ListComp))
