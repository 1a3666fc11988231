"""Calls that change an object in a list, `slots[i].use(x)`: the object is taken out of the list,
changed like one that the function makes (constructs/local_objects.py), and put back:

    y = slots[i].use(x)     ->     a = slots[i]; y = a.use(x); slots[i] = a
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from .constructs.changed_parameters import changes, closure_by
from .constructs.evaluation_order import ChangingCall
from .constructs.field_changes import attribute_of, fields_of
from .constructs.field_functions import objects_given
from .constructs.in_place import note_shared
from .constructs.listed_objects import LISTED, ListedObject
from .constructs.object_finding import objects_made
from .constructs.out_parameters import Callers
from .context import FunctionContext
from .function_values import Closure
from .item_methods import Use, Uses
from .item_refusals import Refused, short
from .listed_items import Items
from .plain_classes import is_plain_class
from .scope import Env
from .syntax import is_mutation
from .written import placed

_INSIDE = (ast.Lambda, ast.GeneratorExp, ast.SetComp, ast.ListComp, ast.DictComp)
_CHANGES = "_acrobat_changes_item"  # an attribute of calls: the `ItemCall`
# Methods of queues, sets and dicts that change them.
_MORE_MUTATING = {"add", "discard", "update", "popleft", "appendleft", "popitem", "send"}


@dataclass(frozen=True, slots=True)
class ItemCall:
    """A call, of a method or a function, that changes the object `item`, and what it does to it."""

    call: ast.Call
    item: ast.expr
    uses: Uses

    @property
    def values(self) -> list[ast.expr]:
        """What the call passes."""
        return [*self.call.args, *(k.value for k in self.call.keywords)]

    def mark(self, items: Items) -> None:
        """Have `with_item_calls` take the call out."""
        is_method = isinstance(self.call.func, ast.Attribute) and self.call.func.value is self.item
        place = -1 if is_method else next(i for i, v in enumerate(self.values) if v is self.item)
        text = ast.unparse(self.item).replace(".", " of ")
        at = f"{self.call.lineno}:{self.call.col_offset}"
        own = f"{text}{LISTED}{items.name} in {at}"  # not a name of a model
        is_statement = isinstance(items.parents[id(self.call)], ast.Expr)
        setattr(self.call, _CHANGES, (self.uses, place, is_statement, own))


def check_order(items: Items, one: ItemCall, others: set[int]) -> None:
    """Refuse a call that may not be taken out of its statement: it is in a function or
    comprehension inside, or something else changes before it in the statement, or in its
    arguments; or a function that it may call reads the list while it runs."""
    call, text = one.call, f"`{short(one.call)}`, which changes an object in {items.name}"
    around: list[ast.AST] = [call]
    while not isinstance(around[-1], ast.stmt):
        around.append(items.parents[id(around[-1])])
        if isinstance(around[-1], _INSIDE):
            what = f"{text}, in a comprehension or a function inside"
            raise Refused(call, what, "a statement of its own for the call, in a `for` loop")
    if id(call) in items.later:
        what = f"{text}, in a function inside"
        raise Refused(call, what, "the call in the function that makes the list")
    for node in ast.walk(items.tree):
        if id(node) in items.later and items.is_list(node):
            what = f"{text}, while a function inside also mentions {items.name}"
            raise Refused(call, what, f"parameters for what that reads of {items.name}")
    effects = _Effects(items.ctx, items.tree)
    beside = not _is_whole(around[-1], call) and effects.changes_more(one)
    for part in ast.iter_child_nodes(around[-1]):
        for n in ast.walk(part) if isinstance(part, ast.expr) else ():
            inside = id(n) in others and any(n in ast.walk(v) for v in one.values)
            up = items.parents[id(n)]
            is_callee = isinstance(up, ast.Call) and up.func is n and id(up) in others
            apart = is_callee or n in around or id(n) in others
            beside |= inside or (not apart and effects.has(n))
    if beside:
        what = f"{text}, in a statement in which something else may change, too"
        raise Refused(call, what, f"a statement of its own, `y = {short(call)}`")


def _is_whole(stmt: ast.AST, call: ast.Call) -> bool:
    """Whether a statement does nothing but to call, and to name or return the result."""
    match stmt:
        case ast.Expr(value) | ast.Return(value) | ast.Assign([ast.Name()], value):
            return value is call
    return False


def check_apart(items: Items, one: ItemCall, others: list[ast.expr]) -> None:
    """Refuse a call that may read what it changes under another name: of the items that it also
    gets, `others`, it may read only other fields."""
    function, is_method = callee(items, one.call, one.uses.cls)
    for other in others:
        if other is one.item:
            continue
        its = Uses(items.ctx, one.uses.cls)
        its.argument(one.call, other, function, is_method)
        both = its.read & one.uses.changed
        if both:
            field = min(both)
            what = (
                f"`{short(one.call)}` changes {field} of {ast.unparse(one.item)}, and reads it of "
                f"{ast.unparse(other)}, which may be the same object"
            )
            instead = f"the fields of the other as arguments, `{ast.unparse(other)}.{field}`"
            raise Refused(one.call, what, instead)


def callee(items: Items, call: ast.Call, cls: type) -> tuple[Closure | None, bool]:
    """The function of a call, if its source is known, and whether it is a method of the items,
    which are of the class `cls`."""
    match call.func:
        case ast.Attribute(owner, method) if items.is_item(owner):
            return Uses(items.ctx, cls).method(method), True
    return closure_by(items.ctx, items.ctx.static(call.func, Env())), False


@dataclass(slots=True)
class _Effects:
    """What in a function may change something, besides items of a list."""

    ctx: FunctionContext
    tree: ast.FunctionDef
    objects: dict[str, type] | None = None
    classes: list[type] | None = None

    def has(self, node: ast.AST) -> bool:
        """Whether a node itself, without its operands, may."""
        if isinstance(node, (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)):
            return True
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found = attribute_of(self._objects().get(node.value.id, object), node.attr)
            return callable(found) or isinstance(found, property)
        if not isinstance(node, ast.Call):
            return False
        if isinstance(node.func, ast.Attribute):
            method = node.func.attr
            if is_mutation(node) or method in _MORE_MUTATING:
                return True
            return any(self._changes(c, method) for c in self._classes())
        found = self.ctx.static(node.func, Env())
        if not callable(found) or found is next:
            return True
        if isinstance(found, type):
            return is_plain_class(found) and not hasattr(found, "__dataclass_fields__")
        values = [*node.args, *(k.value for k in node.keywords)]
        if any(isinstance(v, ast.Name) and v.id in self._objects() for v in values):
            return True
        return bool(changes(self.ctx, found, closure_by(self.ctx, found)))

    def changes_more(self, one: ItemCall) -> bool:
        """Whether a call may change more than an item of the list: a list, another object."""
        others = [v for v in one.values if v is not one.item]
        if any(isinstance(v, ast.Name) and v.id in self._objects() for v in others):
            return True
        found = self.ctx.static(one.call.func, Env())
        return bool(changes(self.ctx, found, closure_by(self.ctx, found)))

    def _changes(self, cls: type, method: str) -> bool:
        known = attribute_of(cls, method) is not None
        return known and Uses(self.ctx, cls).attribute(method) is not Use.READS

    def _objects(self) -> dict[str, type]:
        if self.objects is None:
            self.objects = {**objects_made(self.ctx, self.tree), **objects_given(self.tree)}
        return self.objects

    def _classes(self) -> list[type]:
        """The classes in scope whose objects can change."""
        if self.classes is None:
            seen = [*self.ctx.scope.frames.values(), *self.ctx.scope.module.values()]
            plain = [c for c in seen if isinstance(c, type) and is_plain_class(c)]
            self.classes = [c for c in plain if fields_of(self.ctx, c)]
        return self.classes


def with_item_calls(ctx: FunctionContext, tree: ast.FunctionDef, name: str) -> None:
    """Take the marked calls out, which change items of the list `name`."""
    tree.body = _ItemCallers(ctx, name).body(tree.body)
    for node in ast.walk(tree):
        if hasattr(node, _CHANGES):
            what = f"`{short(node)}` changes an object in {name} in a part of an expression"
            raise Refused(node, what, f"a statement of its own before, `y = {short(node)}`")


class _ItemCallers(Callers):
    def __init__(self, ctx: FunctionContext, name: str) -> None:
        super().__init__(ctx)
        self.name = name

    def _looked_at(self, node: ast.Call) -> ChangingCall | None:
        mark = getattr(node, _CHANGES, None)
        if mark is None:
            return None
        return ChangingCall((self.name,), frozenset(), not mark[2], None)

    def _call(self, node: ast.Call, call: ChangingCall, value: str | None) -> list[ast.stmt]:
        uses, place, _, own = getattr(node, _CHANGES)
        delattr(node, _CHANGES)
        fields = {(uses.cls, f) for f in fields_of(self.ctx, uses.cls)}
        note_shared(self.ctx, fields, node, f"fields of {uses.cls.__name__} may have other names")
        return [placed(s, node) for s in _taken_out(node, uses, place, own, value)]


def _taken_out(
    node: ast.Call, uses: Uses, place: int, own: str, value: str | None
) -> Iterator[ast.stmt]:
    index = f"the index of {own}"
    if place < 0:
        assert isinstance(node.func, ast.Attribute)
        item = node.func.value
        node.func.value = ast.Name(own, ast.Load())
    elif place < len(node.args):
        item = node.args[place]
        node.args[place] = ast.Name(own, ast.Load())
    else:
        keyword = node.keywords[place - len(node.args)]
        item, keyword.value = keyword.value, ast.Name(own, ast.Load())
    assert isinstance(item, ast.Subscript)
    yield ast.Assign([ast.Name(index, ast.Store())], item.slice)
    item.slice = ast.Name(index, ast.Load())
    taken = ListedObject()
    taken.value, taken.cls, taken.rebound = item, uses.cls, uses.rebound
    yield ast.Assign([ast.Name(own, ast.Store())], taken)
    yield ast.Expr(node) if value is None else ast.Assign([ast.Name(value, ast.Store())], node)
    back = ast.Subscript(item.value, ast.Name(index, ast.Load()), ast.Store())
    yield ast.Assign([back], ast.Name(own, ast.Load()))
