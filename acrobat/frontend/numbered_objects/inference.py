"""Find out where objects of plain classes are: which expressions have them, and of which class.

Every name, parameter, result and field gets what is known of all values that the program gives it,
until nothing changes any more."""

from __future__ import annotations

import ast
import types
from dataclasses import dataclass, field
from typing import Any

from ..constructs.field_changes import attribute_of
from ..syntax import parameters
from .expressions import kind_of
from .kinds import OTHER, Fixed, Kind, Many, Object, Parts, item_of, join
from .program import Function, GivenUp, Program, own_name
from .statements import look_at

_ROUNDS = 40


@dataclass(slots=True)
class Inference:
    """What is known so far. `at` has the kind of every expression, by its identity; `fields` that
    of every field of a class."""

    program: Program
    at: dict[int, Kind | None] = field(default_factory=dict)
    nodes: list[ast.expr] = field(default_factory=list)  # those, which keeps their identity
    fields: dict[tuple[type, str], Kind | None] = field(default_factory=dict)
    # The (class, field) pairs that change after `__init__`; and those that get another value.
    changed: set[tuple[type, str]] = field(default_factory=set)
    assigned: set[tuple[type, str]] = field(default_factory=set)
    # The calls that make objects of a class, and the functions that they are in.
    calls: dict[type, dict[int, tuple[ast.Call, Function]]] = field(default_factory=dict)
    # The nodes that are being looked at; and by node the functions that are called in it, and the
    # fields that change in it itself.
    around: list[int] = field(default_factory=list)
    reached: dict[int, set[int]] = field(default_factory=dict)
    changes: dict[int, set[tuple[type, str]]] = field(default_factory=dict)
    # The classes whose objects are compared by identity, or called without a name.
    named: set[type] = field(default_factory=set)
    grown: bool = False
    function: Function = field(init=False)
    inner: dict[str, list[Any]] = field(default_factory=dict)
    scopes: list[tuple[int, set[str]]] = field(default_factory=list)

    def run(self) -> None:
        """Look at all functions until nothing changes."""
        entry = self.program.entry
        for i, p in enumerate(parameters(entry.tree)):
            entry.parameters[p.arg] = OTHER if i else Fixed(p.arg)
        for _ in range(_ROUNDS):
            self.grown = False
            seen = len(self.program.functions)
            for function in [entry, *self.program.functions.values()]:
                self._look(function)
            if not self.grown and seen == len(self.program.functions):
                return
        raise GivenUp

    def _look(self, function: Function) -> None:
        self.function = function
        for p in parameters(function.tree):
            self.bind(p.arg, function.parameters.get(p.arg))
        args = function.tree.args
        for p, default in [
            *zip(reversed([*args.posonlyargs, *args.args]), reversed(args.defaults), strict=False),
            *zip(args.kwonlyargs, args.kw_defaults, strict=True),
        ]:
            if default is not None:
                self.bind(p.arg, self.eval(default))
        self.inner = {}
        for node in ast.walk(function.tree):
            match node:
                case ast.FunctionDef(name) if node is not function.tree:
                    self.inner.setdefault(name, []).append(node)
                case ast.Assign([ast.Name(name)], ast.Lambda() as made):
                    self.inner.setdefault(name, []).append(made)
        for stmt in function.tree.body:
            self.statement(stmt)

    # -- variables -----------------------------------------------------------------------------

    def key(self, name: str) -> Any:
        """The variable that a name means where the inference is."""
        at = next((at for at, names in reversed(self.scopes) if name in names), None)
        return name if at is None else (at, name)

    @property
    def hidden(self) -> frozenset[str]:
        """The parameters of lambdas and the targets of comprehensions around."""
        return frozenset(n for _, names in self.scopes for n in names)

    def bind(self, name: str, kind: Kind | None) -> None:
        """A variable of the function may have such a value."""
        variables, key = self.function.variables, self.key(name)
        before = variables.setdefault(key, None)
        new = join(before, kind)
        if new != before:
            variables[key] = new
            self.grown = True

    def assign(self, target: ast.expr, kind: Kind | None, whole: bool = True) -> None:
        """A place may have such a value; not `whole`: what is there changes itself."""
        match target:
            case ast.Name(name):
                self.bind(name, kind)
            case ast.Starred(value):
                self.assign(value, Many(item_of(kind)))
            case ast.Tuple(elements) | ast.List(elements):
                known = kind.items if isinstance(kind, Parts) else None
                for i, each in enumerate(elements):
                    fits = known is not None and len(known) == len(elements)
                    self.assign(each, known[i] if fits and known else item_of(kind))
            case ast.Attribute(value, attr):
                owner = self.eval(value)
                if isinstance(owner, Object):
                    self.field(owner.cls, attr, kind)
                    init = self.function.owner is owner.cls and self._is_init(value)
                    if not init:
                        self.change(owner.cls, attr)
                        if whole:
                            self.assigned.add((owner.cls, attr))
            case ast.Subscript(value, index):
                owner = self.eval(value)
                key = self.eval(index)
                if isinstance(owner, Object):
                    self.method(owner.cls, "__setitem__", [key, kind], {})
                elif isinstance(index, ast.Slice):
                    self.assign(value, kind, False)
                elif isinstance(owner, Many):
                    self.assign(
                        value, Many(kind, key if owner.is_dict else None, owner.is_dict), False
                    )
                else:
                    self.assign(value, None, False)
            case ast.Call(ast.Attribute(owner, "get" | "setdefault")):
                self.eval(target)
                self.assign(owner, Many(kind, None, True), False)
            case ast.Call() | ast.IfExp() | ast.BoolOp():
                self.eval(target)

    def change(self, cls: type, name: str) -> None:
        """Note that a field changes after its object has been made."""
        self.changed.add((cls, name))
        self.function.changes.add((cls, name))
        for node in self.around:
            self.changes.setdefault(node, set()).add((cls, name))

    def _is_init(self, value: ast.expr) -> bool:
        if self.function.tree.name != "__init__":
            return False
        return isinstance(value, ast.Name) and value.id == own_name(self.function)

    def field(self, cls: type, name: str, kind: Kind | None) -> None:
        """A field may have such a value."""
        new = join(self.fields.get((cls, name)), kind)
        if (cls, name) not in self.fields or new != self.fields[cls, name]:
            self.fields[cls, name] = new
            self.grown = True

    # -- functions -----------------------------------------------------------------------------

    def method(
        self, cls: type, name: str, given: list[Kind | None], words: dict[str | None, Kind | None]
    ) -> Kind | None:
        """The result of a method that an object's class defines."""
        found = attribute_of(cls, name)
        if isinstance(found, property):
            found = found.fget
        if isinstance(found, staticmethod):
            return self.call(found.__func__, given, words, cls)
        if not isinstance(found, types.FunctionType):
            return OTHER
        return self.call(found, [Object(cls), *given], words, cls)

    def call(
        self,
        found: Any,
        given: list[Kind | None],
        words: dict[str | None, Kind | None],
        owner: type | None = None,
    ) -> Kind | None:
        """The result of an author's function, whose parameters may have these values."""
        function = self.program.function(found, owner)
        if function is None:
            return OTHER
        key = id(getattr(found, "function", found))
        self.function.calls.add(key)
        for node in self.around:
            self.reached.setdefault(node, set()).add(key)
        self.pass_on(function, given, words)
        return function.result

    def pass_on(
        self, function: Function, given: list[Kind | None], words: dict[str | None, Kind | None]
    ) -> None:
        """The parameters of a function may have these values."""
        tree = function.tree
        for p, kind in [
            *zip([*tree.args.posonlyargs, *tree.args.args], given, strict=False),
            *((p, words[p.arg]) for p in parameters(tree) if p.arg in words),
        ]:
            new = join(function.parameters.get(p.arg), kind)
            if new != function.parameters.get(p.arg):
                function.parameters[p.arg] = new
                self.grown = True

    def inside(self, node: ast.Lambda | ast.FunctionDef, given: list[Kind | None]) -> Kind | None:
        """The result of a lambda or a local function."""
        names = [p.arg for p in [*node.args.posonlyargs, *node.args.args]]
        if isinstance(node, ast.FunctionDef):
            for name, kind in zip(names, given, strict=False):
                self.bind(name, kind)
            return self.function.variables.get(("result", id(node)))
        self.scopes.append((id(node), {*names, *(p.arg for p in node.args.kwonlyargs)}))
        for name, kind in zip(names, given, strict=False):
            self.bind(name, kind)
        result = self.eval(node.body)
        self.scopes.pop()
        return result

    # -- statements ----------------------------------------------------------------------------

    def statement(self, stmt: ast.stmt, around: ast.FunctionDef | None = None) -> None:
        """Look at a statement, of the local function `around`."""
        self.around.append(id(stmt))
        look_at(self, stmt, around)
        self.around.pop()

    def bind_result(self, tree: ast.FunctionDef, kind: Kind | None) -> None:
        """A local function may return such a value."""
        key = ("result", id(tree))
        new = join(self.function.variables.get(key), kind)
        if new != self.function.variables.get(key):
            self.function.variables[key] = new
            self.grown = True

    def eval_target(self, target: ast.expr) -> None:
        """Look at the parts of a target that are read."""
        match target:
            case ast.Attribute(value):
                self.eval(value)
            case ast.Subscript(value, index):
                self.eval(value)
                self.eval(index)
            case ast.Tuple(elements) | ast.List(elements):
                for each in elements:
                    self.eval_target(each)
            case ast.Starred(value):
                self.eval_target(value)

    def test(self, node: ast.expr) -> Kind | None:
        """What is known of an expression whose truth value is asked for."""
        kind = self.eval(node)
        if isinstance(kind, Object):
            method = truth_method(kind.cls)
            if method is not None:
                self.method(kind.cls, method, [], {})
        return kind

    def items(self, node: ast.expr) -> Kind | None:
        """What a loop over `node` gives."""
        return item_of(self.eval(node))

    # -- expressions ---------------------------------------------------------------------------

    def eval(self, node: ast.expr) -> Kind | None:
        """What is known of an expression."""
        self.around.append(id(node))
        kind = kind_of(self, node)
        self.around.pop()
        before = self.at.get(id(node))
        if id(node) not in self.at:
            self.nodes.append(node)
        self.at[id(node)] = new = join(before, kind)
        self.grown = self.grown or new != before
        return new


def truth_method(cls: type) -> str | None:
    """The method that says whether an object is true; None if all are."""
    names = ("__bool__", "__len__")
    return next((n for n in names if attribute_of(cls, n) is not None), None)
