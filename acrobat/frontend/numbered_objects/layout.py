"""Which classes are numbered, where their fields are, and what their methods are called."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ...lang.hints import resolve_class_hints, resolve_hint
from ..constructs.field_changes import attribute_of
from ..context import MISSING as UNKNOWN
from ..object_numbers import number_class, number_field
from ..open_hints import leaves_open
from ..plain_classes import made_by_fields, open_hint
from ..syntax import parameters
from ..written import placed
from .inference import Inference
from .kinds import Kind, Many, Object, Parts, with_numbers
from .new_collections import dataclass_defaults
from .program import Function, GivenUp, Program, needed_init, static


@dataclass(slots=True)
class Layout:
    """How the objects of a program are stored. `numbered` has the classes for the numbers of each
    class; the fields of a class in `single`, of which there is one object, are variables; those in
    `fixed` are always the same weights."""

    look: Inference
    numbered: dict[type, type] = field(default_factory=dict)
    single: set[type] = field(default_factory=set)
    fixed: dict[tuple[type, str], str] = field(default_factory=dict)
    function_names: dict[int, str] = field(default_factory=dict)
    hint_names: dict[type, str] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    assigned: set[str] = field(default_factory=set)
    init_hints: dict[type, dict[str, Any]] = field(default_factory=dict)
    # The parameters of a class that are given new lists (False) or new dicts (True) by every call.
    new: dict[tuple[type, str], bool] = field(default_factory=dict)
    # Others that are fields and are given lists that do not change (given_lists.py).
    given: set[tuple[type, str]] = field(default_factory=set)

    @property
    def program(self) -> Program:
        """The program."""
        return self.look.program

    def holds(self, kind: Kind | None) -> bool:
        """Whether a numbered object is known to be in a value."""
        match kind:
            case Object(cls):
                return cls in self.numbered
            case Many(item, key):
                return self.holds(item) or self.holds(key)
            case Parts(items):
                return any(map(self.holds, items))
        return False

    def fields_of(self, cls: type) -> list[str]:
        """The fields of a class that are stored."""
        return [f for c, f in self.look.fields if c is cls and (c, f) not in self.fixed]

    def field_name(self, cls: type, name: str) -> str:
        """The variable that has a field of all objects of a class, or of the only one."""
        return f"{cls.__name__}.{name}"

    def number_field(self, cls: type) -> str:
        """The field of a number."""
        return number_field(cls)

    def init_name(self, cls: type) -> str:
        """The function that makes an object."""
        return self.function_names[id(cls)]

    def tree_of(self, cls: type, attr: str) -> ast.FunctionDef:
        """The source of a method."""
        return self.program.functions[id(attribute_of(cls, attr))].tree

    def free(self, wanted: str) -> str:
        """A name that the program does not use."""
        while wanted in self.used:
            wanted += "_"
        self.used.add(wanted)
        return wanted

    def function_name(self, wanted: str) -> str:
        """A name for a function that the author calls `wanted`: the same if it means nothing else
        anywhere."""
        if wanted in self.assigned:
            return self.free(wanted)
        self.assigned.add(wanted)
        return wanted

    def number(self, cls: type) -> None:
        """Number the objects of a class."""
        if cls not in self.numbered:
            self.numbered[cls] = number_class(cls)
            self.hint_names[cls] = self.free(f"number_of_{cls.__name__}")
            self.function_names[id(cls)] = self.function_name(cls.__name__)

    # -- hints ---------------------------------------------------------------------------------

    def hint(self, function: Function, annotation: ast.expr) -> Any:
        """The hint of a variable; None if it cannot be read."""
        try:
            found = resolve_hint(ast.unparse(annotation), function.scope)
            return with_numbers(found, self.numbered)
        except Exception:  # whatever the author's expression raises
            return None

    def mentions(self, annotation: ast.expr) -> bool:
        """Whether a hint of the entry function mentions a class that is numbered."""
        entry = self.program.entry
        names = (n for n in ast.walk(annotation) if isinstance(n, ast.Name))
        found = (static(entry, n) for n in names)
        return any(isinstance(f, type) and f in self.hint_names for f in found)

    def hints(self, function: Function, tree: ast.FunctionDef) -> None:
        """Write the hints of a function so that they mean the same in the entry function."""
        for p in parameters(tree):
            p.annotation = self._text(function, p.annotation)
        tree.returns = self._text(function, tree.returns)

    def _text(self, function: Function, node: ast.expr | None) -> ast.expr | None:
        if node is None:
            return None
        try:
            return _Hints(self, function).visit(node)  # type: ignore[no-any-return]
        except (GivenUp, SyntaxError):
            return None

    def field_hint(self, cls: type, name: str) -> Any:
        """The type of a field as far as hints say; None if they leave it open."""
        kind = self.look.fields.get((cls, name))
        if isinstance(kind, Object) and kind.cls in self.numbered:
            made = self.numbered[kind.cls]
            return made | None if kind.optional else made
        hint = None
        if made_by_fields(cls):
            try:
                hint = resolve_class_hints(cls).get(name)
            except Exception:  # whatever the author's expression raises
                return None
        else:
            if cls not in self.init_hints:
                self.init_hints[cls] = dict(self._hints_in_init(cls))
            hint = self.init_hints[cls].get(name)
        if hint is None:
            return None
        hint = with_numbers(hint, self.numbered)
        return None if leaves_open(hint) or open_hint(hint) else hint

    def _hints_in_init(self, cls: Any) -> Iterator[tuple[str, Any]]:
        init = needed_init(self.program, cls)
        hints = {p.arg: p.annotation for p in parameters(init.tree)}
        for node in ast.walk(init.tree):
            match node:
                case ast.AnnAssign(ast.Attribute(ast.Name(), attr), annotation):
                    yield attr, self.hint(init, annotation)
                case ast.Assign([ast.Attribute(ast.Name(), attr)], ast.Name(given)):
                    its = hints.get(given)
                    if its is not None:
                        yield attr, self.hint(init, its)

    def parameters_of(self, cls: type) -> list[str]:
        """The fields that a dataclass is made of, those that are given by name alone last."""
        fields = [f for f in dataclasses.fields(cls) if f.init]
        return [f.name for f in sorted(fields, key=lambda f: f.kw_only is True)]

    # -- making objects ------------------------------------------------------------------------

    def with_defaults(self, call: ast.Call, cls: type) -> None:
        """Add the defaults of a dataclass to a call that makes an object."""
        if not made_by_fields(cls):
            return
        fields = dataclasses.fields(cls)
        given = {
            f.name for f, _ in zip([f for f in fields if not f.kw_only], call.args, strict=False)
        }
        given |= {k.arg for k in call.keywords if k.arg is not None}
        for name, default in dataclass_defaults(cls).items():
            if name not in given:
                call.keywords.append(placed(ast.keyword(name, default), call))


class _Hints(ast.NodeTransformer):
    """A hint with other names for classes that are numbered."""

    def __init__(self, layout: Layout, function: Function) -> None:
        self.layout, self.function = layout, function

    def visit_Name(self, node: ast.Name) -> ast.AST:
        found = static(self.function, node)
        if isinstance(found, type) and found in self.layout.hint_names:
            return ast.copy_location(ast.Name(self.layout.hint_names[found], ast.Load()), node)
        entry = self.layout.program.entry
        try:
            same = found is not UNKNOWN and entry.scope[node.id] is found
        except NameError:
            same = False
        if not same:
            raise GivenUp
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        match node.value:
            case ast.Name("Float32" | "Annotated" | "Literal"):
                self.visit(node.value)
                return node
        return self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if not isinstance(node.value, str):
            return node
        return self.visit(ast.parse(node.value, mode="eval").body)  # type: ignore[no-any-return]
