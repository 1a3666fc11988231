"""Which classes of a program have numbers for objects (numbered_objects/layout.py)."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator
from typing import Any

from ..plain_classes import made_by_fields
from .given_lists import given_lists
from .inference import Inference
from .kinds import Fixed, Kind, Many, Object, Parts
from .layout import Layout
from .new_collections import new_collections
from .program import Function, init_of, needed_init


def chosen(look: Inference, with_weights: bool = False) -> Layout:
    """The layout of a program: objects are numbered if their fields change, if they are compared by
    identity, or if they refer to others of their class; and `with_weights`, if a field is always
    the same weights."""
    layout = Layout(look)
    functions = [look.program.entry, *look.program.functions.values()]
    for function in functions:
        for node in ast.walk(function.tree):
            if isinstance(node, ast.Name):
                layout.used.add(node.id)
                if not isinstance(node.ctx, ast.Load):
                    layout.assigned.add(node.id)
            elif isinstance(node, ast.arg):
                layout.assigned.add(node.arg)
            elif isinstance(node, ast.FunctionDef) and node is not function.tree:
                layout.assigned.add(node.name)
    layout.assigned |= {layout.field_name(c, f) for c, f in look.fields}
    layout.used |= layout.assigned
    changed = {cls for cls, _ in look.changed}
    holding = {c for (c, _), kind in look.fields.items() if isinstance(kind, Fixed)}
    wanted = changed | look.named | (holding if with_weights else set())
    for cls in look.calls:
        if cls in wanted or _refers_to_itself(look, cls):
            layout.number(cls)
    more = True
    while more:
        before = len(layout.numbered)
        for cls in look.calls:
            init = init_of(look.program, cls)
            if init is not None and _uses(layout, init):
                layout.number(cls)
        more = len(layout.numbered) > before
    sites = {
        id(value)
        for stmt in look.program.entry.tree.body
        if isinstance(stmt, (ast.Assign, ast.AnnAssign))
        for value in [stmt.value]
        if value is not None
    }
    for cls in layout.numbered:
        if len(look.calls[cls]) == 1 and look.calls[cls].keys() <= sites:
            layout.single.add(cls)
        set_once = set(_set_once(look, cls))
        for f in [f for c, f in look.fields if c is cls]:
            kind = look.fields[cls, f]
            if (
                isinstance(kind, Fixed)
                and (cls, f) not in look.changed
                and (f in set_once or cls not in layout.single)
            ):
                layout.fixed[cls, f] = kind.path
        layout.new |= {(cls, p): found for p, found in new_collections(look, cls).items()}
        layout.given |= {(cls, p) for p in given_lists(look, cls)}
    return layout


def _set_once(look: Inference, cls: Any) -> Iterator[str]:
    """The fields that statements of `__init__` set one by one, or that a dataclass has."""
    if made_by_fields(cls):
        yield from (f.name for f in dataclasses.fields(cls))
        return
    for stmt in needed_init(look.program, cls).tree.body:
        match stmt:
            case ast.Assign([ast.Attribute(ast.Name(), attr)]):
                yield attr
            case ast.AnnAssign(ast.Attribute(ast.Name(), attr)):
                yield attr


def _uses(layout: Layout, function: Function) -> bool:
    """Whether a function makes numbered objects, or reads their fields."""
    made = {key for cls in layout.numbered for key in layout.look.calls[cls]}
    for node in ast.walk(function.tree):
        if id(node) in made:
            return True
        if isinstance(node, ast.Attribute):
            kind = layout.look.at.get(id(node.value))
            if isinstance(kind, Object) and kind.cls in layout.numbered:
                return True
    return False


def _refers_to_itself(look: Inference, cls: type) -> bool:
    """Whether an object of a class may be reached from another one's fields."""
    seen: set[type] = set()
    work = [cls]
    while work:
        one = work.pop()
        for (c, _), kind in look.fields.items():
            if c is one:
                for inner in _classes_in(kind):
                    if inner is cls:
                        return True
                    if inner not in seen:
                        seen.add(inner)
                        work.append(inner)
    return False


def _classes_in(kind: Kind | None) -> set[type]:
    match kind:
        case Object(cls):
            return {cls}
        case Many(item, key):
            return _classes_in(item) | _classes_in(key)
        case Parts(items):
            return {c for i in items for c in _classes_in(i)}
    return set()
