"""What methods and functions do with an object in a list that they get: whether they only read its
fields, or change them. One that returns the object, or puts it anywhere, gives it another name."""

from __future__ import annotations

import ast
import enum
import inspect
import types
from dataclasses import dataclass, field
from typing import Any

from ..lang.hints import UnknownName, function_scope
from .constructs.changed_parameters import closure_by
from .constructs.changed_results import arguments
from .constructs.closures import closure_of
from .constructs.field_changes import changed_fields, fields_of
from .context import FunctionContext
from .function_values import Closure
from .item_scopes import run_later
from .syntax import names_assigned, parameters, parents_of

# What reads a list without giving it another name.
_READERS = (len, sum, max, min, sorted, list, tuple, any, all)


class Use(enum.IntEnum):
    """What becomes of an object: its fields are read, or changed, or it may get another name."""

    READS = 0
    CHANGES = 1
    UNKNOWN = 2


@dataclass(slots=True)
class Uses:
    """What one use of an object of the class `cls` does with it. `read` and `changed` are the
    fields that are read and changed on the way; the lists and dicts of those `in_place` change.
    Those of the fields `held` may get another name, or change if it is a list that `+=` changes."""

    ctx: FunctionContext
    cls: type
    read: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)
    in_place: set[str] = field(default_factory=set)
    held: set[str] = field(default_factory=set)
    seen: set[tuple[int, str]] = field(default_factory=set)  # functions, by tree and parameter

    @property
    def rebound(self) -> frozenset[str]:
        """The fields that get new values, while the lists that were in them stay as they are."""
        return frozenset(self.changed - self.in_place - self.held)

    def method(self, name: str) -> Closure | None:
        """The method or property `name`, from its source."""
        found: Any = inspect.getattr_static(self.cls, name, None)
        function = found.fget if isinstance(found, property) else found
        is_function = isinstance(function, types.FunctionType)
        return closure_of(self.ctx, function) if is_function else None

    def attribute(self, name: str) -> Use:
        """What the use of an attribute of an object does with it."""
        found: Any = inspect.getattr_static(self.cls, name, None)
        if not isinstance(found, (types.FunctionType, property)):
            self.read.add(name)
            plain = name in fields_of(self.ctx, self.cls) or not callable(found)
            return Use.READS if plain else Use.UNKNOWN
        closure = self.method(name)
        if closure is None or not closure.tree.args.args:
            return Use.UNKNOWN
        use = self.parameter(closure, closure.tree.args.args[0].arg)
        return Use.UNKNOWN if isinstance(found, property) and use is Use.CHANGES else use

    def argument(
        self, call: ast.Call, given: ast.AST, closure: Closure | None, is_method: bool
    ) -> Use:
        """What a call of a function does with its argument `given`."""
        if closure is None or closure.tree.args.vararg or closure.tree.args.kwarg:
            return Use.UNKNOWN
        if any(isinstance(a, ast.Starred) for a in call.args):
            return Use.UNKNOWN
        if is_method:  # its first parameter is the object before the dot
            call = ast.Call(call.func, [call.func, *call.args], call.keywords)
        names = [n for n, value in arguments(call, closure.tree) if value is given]
        return self.parameter(closure, names[0]) if len(names) == 1 else Use.UNKNOWN

    def parameter(self, closure: Closure, own: str) -> Use:
        """What a function does with its parameter `own`."""
        if (id(closure.tree), own) in self.seen:
            return Use.READS  # besides what the first visit finds
        self.seen.add((id(closure.tree), own))
        tree = closure.tree
        parents = parents_of(tree)
        later = run_later(self.ctx, tree)
        use = Use.READS
        for node in ast.walk(tree):
            its = {f for o, f in changed_fields(node) if o == own}
            if its:
                self.changed |= its
                self.in_place |= set() if isinstance(node, ast.Attribute) else its
                use = max(use, Use.CHANGES)
            if isinstance(node, ast.Name) and node.id == "super":
                return Use.UNKNOWN
            if isinstance(node, ast.Name) and node.id == own:
                if id(node) in later:
                    return Use.UNKNOWN
                use = max(use, self.mention(closure, node, parents))
        return use

    def mention(self, closure: Closure, node: ast.expr, parents: dict[int, ast.AST]) -> Use:
        match parents[id(node)]:
            case ast.Attribute(attr=attr, ctx=ast.Load()) as found:
                if not _only_reads(closure, found, parents[id(found)]):
                    self.held.add(attr)
                return self.attribute(attr)
            case ast.Attribute(attr=attr, ctx=ast.Store()) as found:
                if isinstance(parents[id(found)], ast.AugAssign):
                    self.held.add(attr)
                known = attr in fields_of(self.ctx, self.cls)
                return Use.CHANGES if known else Use.UNKNOWN
            case ast.Call(ast.Name(name)) as call if node is not call.func:
                return self.argument(call, node, _called(self.ctx, closure, name), False)
            case ast.Call(ast.Constant(found)) as call:  # of a base class
                return self.argument(call, node, closure_by(self.ctx, found), False)
        return Use.UNKNOWN


def _only_reads(closure: Closure, node: ast.Attribute, parent: ast.AST) -> bool:
    """Whether a use of a field gives a list in it no other name."""
    match parent:
        case ast.BinOp() | ast.Starred() | ast.Compare() | ast.UnaryOp():
            return True
        case ast.Subscript(value) | ast.For(iter=value) | ast.comprehension(iter=value):
            return value is node
        case ast.Call(ast.Name(name), [value]):
            return value is node and any(meant(closure, name) is f for f in _READERS)
    return False


def _called(ctx: FunctionContext, closure: Closure, name: str) -> Closure | None:
    """The function that `name` means in another function."""
    found = meant(closure, name)
    return None if found is None else closure_by(ctx, found)


def meant(closure: Closure, name: str) -> Any:
    """The object outside of a function that `name` means in it; None if there is none."""
    local = names_assigned(closure.tree.body) | {p.arg for p in parameters(closure.tree)}
    if name in local:
        return None
    try:
        return function_scope(closure.model.function, closure.model.around())[name]
    except UnknownName:
        return None
