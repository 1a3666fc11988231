"""Objects in a list whose fields change: `slots[i].age = 0`, `for s in slots: s.age += 1`.

Values never change, so the list gets a new object at that index: `slots[i] = replace(slots[i],
age=0)`. In Python the change is visible wherever the object is known. It is known through the list
alone if `item_mentions` allows every mention of the list in the function that makes it: these put
objects into it that were made there, and take nothing out of it but fields. A name for an item,
such as the target of a loop, becomes the item's index.
"""

from __future__ import annotations

import ast

from .context import FunctionContext
from .item_changes import ItemChanges
from .item_mentions import Mentions
from .listed_items import Items
from .syntax import names_assigned


def with_objects_in_lists(ctx: FunctionContext, tree: ast.FunctionDef) -> None:
    """Rewrite changes of such objects in a function as changes of the lists."""
    stored = (n for n in ast.walk(tree) if isinstance(n, ast.Attribute))
    if all(isinstance(n.ctx, ast.Load) for n in stored):
        return  # no object changes
    for name in sorted(names_assigned(tree.body)):
        items = Items(ctx, tree, name)
        if items.find() and Mentions(items).allowed():
            ItemChanges(items).visit(tree)
