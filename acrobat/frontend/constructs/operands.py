"""The operands of expressions, in the order of their evaluation."""

from __future__ import annotations

import ast
from collections.abc import Iterator

# A part of a node: the node, the name of its field, and the index in that if it is a list.
Slot = tuple[ast.AST, str, int | None]
_SAME = "_acrobat_same_object"  # an attribute of subscripts


def mark_same_object(node: ast.Subscript) -> None:
    """Note that this item of a list is the same object throughout, even if it changes itself."""
    setattr(node, _SAME, True)


def is_same_object(node: ast.Subscript) -> bool:
    """Whether `mark_same_object` has been told of this item."""
    return getattr(node, _SAME, False)


def operands(node: ast.expr) -> Iterator[Slot]:
    """The operands of an expression in the order in which Python evaluates them."""
    match node:
        case ast.Call(ast.Attribute(ast.Subscript() as owner)) if is_same_object(owner):
            yield owner, "slice", None
        case ast.Call(ast.Attribute() as func):
            yield func, "value", None
        case ast.Call(func) if not isinstance(func, ast.Name):
            yield node, "func", None
    if isinstance(node, ast.Dict):
        for i in range(len(node.values)):
            if node.keys[i] is not None:
                yield node, "keys", i
            yield node, "values", i
        return
    for name, value in ast.iter_fields(node):
        if name in ("target", "func"):  # of `:=`; of a call
            continue
        for i, part in enumerate(value if isinstance(value, list) else [value]):
            at = i if isinstance(value, list) else None
            if isinstance(part, (ast.keyword, ast.Slice, ast.FormattedValue)):
                yield from operands(part)  # type: ignore[arg-type]
            elif isinstance(part, ast.expr):
                yield node, name, at


def operand_at(slot: Slot) -> ast.expr:
    """The operand at a place."""
    node, name, at = slot
    found = getattr(node, name)
    return found if at is None else found[at]  # type: ignore[no-any-return]


def put_operand(slot: Slot, new: ast.expr) -> None:
    """Put another operand there."""
    node, name, at = slot
    if at is None:
        setattr(node, name, new)
    else:
        getattr(node, name)[at] = new
