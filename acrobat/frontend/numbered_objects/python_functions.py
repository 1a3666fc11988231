"""What is known of the results of Python's functions (numbered_objects/inference.py)."""

from __future__ import annotations

import ast
import heapq
import itertools
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

from ..constructs.field_changes import attribute_of
from .applied import applied, note_change
from .kinds import OTHER, Kind, Many, Object, Parts, item_of, join
from .look import Look


def _list(look: Look, node: ast.Call) -> Kind | None:
    """A collection of the items of the first argument."""
    kinds = [look.eval(a) for a in node.args]
    for keyword in node.keywords:
        look.eval(keyword.value)
        applied(look, keyword.value, [item_of(kinds[0]) if kinds else None])
    return Many(item_of(kinds[0]) if kinds else None)


def _dict(look: Look, node: ast.Call) -> Kind | None:
    kinds = [look.eval(a) for a in node.args]
    for keyword in node.keywords:
        look.eval(keyword.value)
    match kinds:
        case [Many(is_dict=True) as one]:
            return one
        case [Many(Parts((key, item)))]:
            return Many(item, key, True)
    return Many(None, None, True)


def _defaults(look: Look, node: ast.Call) -> Kind | None:
    item: Kind | None = None
    for each in node.args[:1]:
        look.eval(each)
        item = applied(look, each, [])
        if isinstance(each, ast.Name) and each.id in ("list", "set", "dict"):
            item = Many(None, None, each.id == "dict")
    return Many(item, None, True)


def _enumerate(look: Look, node: ast.Call) -> Kind | None:
    kinds = [look.eval(a) for a in node.args]
    return Many(Parts((OTHER, item_of(kinds[0]) if kinds else None)))


def _zip(look: Look, node: ast.Call) -> Kind | None:
    if any(isinstance(a, ast.Starred) for a in node.args):
        for a in node.args:
            look.eval(a)
        return OTHER
    return Many(Parts(tuple(item_of(look.eval(a)) for a in node.args)))


def _pairs(look: Look, node: ast.Call) -> Kind | None:
    item = item_of(look.eval(node.args[0])) if node.args else None
    for other in node.args[1:]:
        look.eval(other)
    return Many(Parts((item, item)))


def _extreme(look: Look, node: ast.Call) -> Kind | None:
    """`max(xs, key=f)`, `max(a, b)`."""
    kinds = [look.eval(a) for a in node.args]
    if len(kinds) == 1:
        item = item_of(kinds[0])
    else:
        item = None
        for kind in kinds:
            item = join(item, kind)
    for keyword in node.keywords:
        kind = look.eval(keyword.value)
        if keyword.arg == "key":
            applied(look, keyword.value, [item])
        elif keyword.arg == "default":
            item = join(item, kind)
    return item


def _extremes(look: Look, node: ast.Call) -> Kind | None:
    """`heapq.nlargest(n, xs, key=f)`."""
    kinds = [look.eval(a) for a in node.args]
    item = item_of(kinds[1]) if len(kinds) > 1 else None
    for keyword in node.keywords:
        look.eval(keyword.value)
        applied(look, keyword.value, [item])
    return Many(item)


def _next(look: Look, node: ast.Call) -> Kind | None:
    kinds = [look.eval(a) for a in node.args]
    item = item_of(kinds[0]) if kinds else None
    return join(item, kinds[1]) if len(kinds) > 1 else item


def _map(look: Look, node: ast.Call) -> Kind | None:
    kinds = [item_of(look.eval(a)) for a in node.args[1:]]
    look.eval(node.args[0])
    return Many(applied(look, node.args[0], kinds))


def _filter(look: Look, node: ast.Call) -> Kind | None:
    items = look.eval(node.args[1]) if len(node.args) > 1 else None
    look.eval(node.args[0])
    applied(look, node.args[0], [item_of(items)])
    return Many(item_of(items))


def _push(look: Look, node: ast.Call) -> Kind | None:
    kinds = [look.eval(a) for a in node.args]
    note_change(look, node.args[0])
    if len(kinds) > 1:
        look.assign(node.args[0], Many(kinds[1]), False)
    return item_of(kinds[0]) if kinds else None


def _length(look: Look, node: ast.Call) -> Kind | None:
    kinds = [look.eval(a) for a in node.args]
    names = {"len": "__len__", "bool": "__bool__"}
    if len(kinds) == 1 and isinstance(kinds[0], Object) and isinstance(node.func, ast.Name):
        method = names[node.func.id]
        if attribute_of(kinds[0].cls, method) is not None:
            look.method(kinds[0].cls, method, [], {})
        elif method == "__bool__":
            look.method(kinds[0].cls, "__len__", [], {})
    return OTHER


_Known = Callable[[Look, ast.Call], Kind | None]
_FUNCTIONS: dict[Any, _Known] = {
    **dict.fromkeys(
        (list, tuple, set, frozenset, iter, reversed, sorted, deque, itertools.islice), _list
    ),
    **dict.fromkeys((dict, OrderedDict), _dict),
    **dict.fromkeys((max, min), _extreme),
    **dict.fromkeys((heapq.nlargest, heapq.nsmallest), _extremes),
    **dict.fromkeys((heapq.heappush, heapq.heappop, heapq.heapify, heapq.heappushpop), _push),
    **dict.fromkeys((itertools.pairwise, itertools.combinations, itertools.permutations), _pairs),
    **dict.fromkeys((len, bool), _length),
    defaultdict: _defaults,
    Counter: _dict,
    enumerate: _enumerate,
    zip: _zip,
    next: _next,
    map: _map,
    filter: _filter,
}
PYTHON = {id(function): known for function, known in _FUNCTIONS.items()}
