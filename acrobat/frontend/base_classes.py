"""`super().push(x)` and `Base.push(self, x)` in methods, as calls of the base class's function."""

from __future__ import annotations

import ast
import types
from typing import Any

from .written import known, placed


def class_around(function: Any) -> type | None:
    """The class in whose body a function that mentions `super` was defined; None if it does not."""
    code = getattr(function, "__code__", None)
    if code is None or "__class__" not in code.co_freevars:
        return None
    try:
        found = function.__closure__[code.co_freevars.index("__class__")].cell_contents
    except ValueError:
        return None  # its class is not complete
    return found if isinstance(found, type) else None


def has_fixed_bases(cls: type) -> bool:
    """Whether `super()` in methods of `cls` means the same class for an object of `cls` as for one
    of the class that defines the method. It does not if a subclass puts another class between, and
    fails in a dataclass with slots, which is a copy of the class that has the method."""
    for at, base in enumerate(cls.__mro__):
        functions = [getattr(f, "fget", None) or f for f in vars(base).values()]
        around = {class_around(getattr(f, "__func__", f)) for f in functions} - {None}
        if around and (around != {base} or cls.__mro__[at:] != base.__mro__):
            return False
    return True


def with_base_functions(tree: ast.FunctionDef, function: Any) -> None:
    """Rewrite calls of functions of base classes in a function whose first parameter is an object,
    and which is not local to another one."""
    first = [*tree.args.posonlyargs, *tree.args.args][:1]
    if first and isinstance(function, types.FunctionType):
        rewriter = _Calls(function, first[0].arg)
        tree.body = [rewriter.visit(stmt) for stmt in tree.body]


class _Calls(ast.NodeTransformer):
    def __init__(self, function: types.FunctionType, own: str) -> None:
        self.own, self.cls = own, class_around(function)
        found = () if self.cls is None else vars(self.cls).values()
        if not any(function in (f, getattr(f, "fget", None)) for f in found):
            self.cls = None  # a class method, whose first parameter is a class
        code = function.__code__
        local = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}
        self.known = {n: v for n, v in function.__globals__.items() if n not in local}

    def _attribute(self, node: ast.AST) -> Any:
        """What `super().name` means, or `Base.name`; None for anything else."""
        cls = self.cls
        match node:
            case ast.Attribute(ast.Call(ast.Name("super"), args, []), name, ast.Load()):
                if cls is None or "super" in self.known:
                    return None
                match args:
                    case [] | [ast.Name(cls.__name__), ast.Name(self.own)]:
                        return _defined(cls.__mro__[1:], name)
        return None

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`super().method(...)`, `Base.method(self, ...)`."""
        found = self._attribute(node.func)
        match node:
            case ast.Call(ast.Attribute(ast.Name(cls), name), [ast.Name(self.own), *_]):
                base = self.known.get(cls)
                method = _defined(base.__mro__, name) if isinstance(base, type) else None
                if isinstance(method, types.FunctionType):
                    node.func = placed(known(method), node.func)
        if isinstance(found, types.FunctionType):
            node.func = placed(known(found), node.func)
            node.args = [placed(ast.Name(self.own, ast.Load()), node.func), *node.args]
        elif isinstance(found, staticmethod):
            node.func = placed(known(found.__func__), node.func)
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """`super().name` of a property or a constant."""
        found = self._attribute(node)
        if isinstance(found, property) and found.fget is not None:
            own = ast.Name(self.own, ast.Load())
            return placed(ast.Call(known(found.fget), [own], []), node)
        if isinstance(found, (bool, int, float, str)):
            return placed(ast.Constant(found), node)
        return self.generic_visit(node)

    def _other(self, node: ast.AST) -> ast.AST:
        """A function inside, whose first parameter would be the object."""
        return node

    visit_FunctionDef = visit_Lambda = visit_GeneratorExp = _other  # noqa: N815
    visit_ListComp = visit_SetComp = visit_DictComp = _other  # noqa: N815


def _defined(classes: tuple[type, ...], name: str) -> Any:
    return next((vars(c)[name] for c in classes if name in vars(c)), None)
