"""Classes without objects of their own as hints: `class Tree(ABC)`, or `class Expr: pass`, stands
for the dataclasses that derive from it."""

from __future__ import annotations

from typing import Any

from .plain_classes import is_interface, is_plain_class


def family(hint: Any) -> tuple[type, ...]:
    """The dataclasses that the hint of such a class stands for, in the order of their definition;
    none for any other hint."""
    if not isinstance(hint, type) or "__dataclass_params__" in vars(hint):
        return ()
    marks = is_plain_class(hint) and getattr(hint, "__init__", None) is object.__init__
    if not marks and not is_interface(hint):
        return ()
    found: list[type] = []
    work: list[type] = hint.__subclasses__()
    while work:
        cls = work.pop(0)
        if "__dataclass_params__" in vars(cls) and cls not in found:
            found.append(cls)
        work += cls.__subclasses__()
    return tuple(found)


def members_of(hints: tuple[Any, ...]) -> tuple[Any, ...]:
    """The members of a union, with families in place of such classes."""
    return tuple(m for hint in hints for m in (family(hint) or (hint,)))
