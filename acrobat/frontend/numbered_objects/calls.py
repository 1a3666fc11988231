"""What is known of the results of calls (numbered_objects/inference.py)."""

from __future__ import annotations

import ast
import dataclasses
from typing import Any

from ..context import MISSING as UNKNOWN
from ..syntax import MUTATING
from .applied import applied, note_change
from .kinds import MISSING, OTHER, Kind, Many, Object, Parts, item_of, join
from .look import Look
from .program import is_object_class, static
from .python_functions import PYTHON

# Methods that change a set, a dict or a queue, besides those of lists.
CHANGING = frozenset(
    {*MUTATING, "add", "discard", "remove", "update", "popleft", "appendleft", "popitem"}
    | {"setdefault", "move_to_end", "extendleft", "rotate"}
)


def called(look: Look, node: ast.Call) -> Kind | None:
    """What is known of the result of a call."""
    func = node.func
    if isinstance(func, ast.Name) and func.id in look.inner and func.id not in look.hidden:
        given = [look.eval(a) for a in node.args]
        words = {k.arg: look.eval(k.value) for k in node.keywords}
        found: Kind | None = None
        for tree in look.inner[func.id]:
            names = [p.arg for p in [*tree.args.posonlyargs, *tree.args.args]]
            more = [words.get(n) for n in names[len(given) :]]
            found = join(found, look.inside(tree, [*given, *more]))
        return found
    found_object = static(look.function, func, look.hidden)
    if found_object is not UNKNOWN:
        return _known(look, node, found_object)
    if isinstance(func, ast.Attribute):
        owner = look.eval(func.value)
        if isinstance(owner, Object):
            look.eval(func)
            given, words = _arguments(look, node)
            return look.method(owner.cls, func.attr, given, words)
        return _of_collection(look, node, func, owner)
    owner = look.eval(func)
    given, words = _arguments(look, node)
    if isinstance(owner, Object):
        if isinstance(func, ast.Call):
            look.named.add(owner.cls)
        return look.method(owner.cls, "__call__", given, words)
    return None if owner is None or owner == MISSING else OTHER


def _arguments(
    look: Look, node: ast.Call
) -> tuple[list[Kind | None], dict[str | None, Kind | None]]:
    given = [look.eval(a) for a in node.args]
    return given, {k.arg: look.eval(k.value) for k in node.keywords}


def _known(look: Look, node: ast.Call, found: Any) -> Kind | None:
    if is_object_class(found):
        look.calls.setdefault(found, {})[id(node)] = node, look.function
        given, words = _arguments(look, node)
        _made(look, found, given, words)
        return Object(found)
    if id(found) in PYTHON:
        return PYTHON[id(found)](look, node)
    given, words = _arguments(look, node)
    owner = None
    if isinstance(node.func, ast.Attribute):
        cls = static(look.function, node.func.value, look.hidden)
        owner = cls if isinstance(cls, type) else None
    return look.call(found, given, words, owner)


def _made(
    look: Look, cls: type, given: list[Kind | None], words: dict[str | None, Kind | None]
) -> None:
    if "__dataclass_fields__" not in vars(cls):
        look.method(cls, "__init__", given, words)
        return
    names = [f.name for f in dataclasses.fields(cls) if not f.kw_only]
    its: dict[str | None, Kind | None] = {**dict(zip(names, given, strict=False)), **words}
    for f in dataclasses.fields(cls):
        default: Kind | None = its.get(f.name)
        if f.name not in its:
            default = OTHER
            if f.default is None:
                default = MISSING
            elif f.default_factory is not dataclasses.MISSING:
                made = f.default_factory
                default = Many(None, None, made is dict) if made in (list, dict, set) else OTHER
        look.field(cls, f.name, default)


def _of_collection(
    look: Look, node: ast.Call, func: ast.Attribute, owner: Kind | None
) -> Kind | None:
    """A method of a list, a dict, a set or a queue."""
    method, place = func.attr, func.value
    kinds = _given_functions(look, node, owner)
    if method in CHANGING:
        note_change(look, place)
    if not isinstance(owner, Many):
        return None if owner is None or owner == MISSING else OTHER
    many, first = owner, kinds[0] if kinds else None
    match method:
        case "append" | "add" | "appendleft" if kinds:
            look.assign(place, Many(first), False)
        case "insert" if len(kinds) == 2:
            look.assign(place, Many(kinds[1]), False)
        case "extend" | "update" if kinds:
            look.assign(place, Many(item_of(first)) if not many.is_dict else first, False)
        case "setdefault" if len(kinds) == 2:
            look.assign(place, Many(kinds[1], first, True), False)
            return join(many.item, kinds[1])
        case "get" if kinds:
            return join(many.item, kinds[1] if len(kinds) > 1 else MISSING)
        case "pop" | "popleft":
            return join(many.item, kinds[1] if len(kinds) > 1 else None)
        case "popitem":
            return Parts((many.key, many.item))
        case "items":
            return Many(Parts((many.key, many.item)))
        case "values":
            return Many(many.item)
        case "keys":
            return Many(many.key)
        case "copy" | "union" | "intersection" | "difference":
            return owner
    return OTHER


def _given_functions(look: Look, node: ast.Call, items: Kind | None) -> list[Kind | None]:
    """The arguments; `key` and other functions get items."""
    for keyword in node.keywords:
        look.eval(keyword.value)
        applied(look, keyword.value, [item_of(items)])
    return [look.eval(a) for a in node.args]
