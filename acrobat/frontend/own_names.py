"""Names of the author's functions, methods and properties: what is called so may do anything, also
where Python or its collections have functions and methods of these names, `c.add(2)`."""

from __future__ import annotations

import ast
import functools
import inspect
import math
import sys
import sysconfig
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_PATHS = sysconfig.get_paths()
_ELSEWHERE = tuple(_PATHS[name] for name in ("stdlib", "purelib", "platlib"))


@dataclass(frozen=True, slots=True)
class OwnNames:
    """`called` are names that stand for functions of the author's, or may; `attributes` those of
    methods and properties of the author's classes, with the most arguments that one of this name
    takes."""

    called: frozenset[str]
    attributes: Mapping[str, float]

    def may_be_called(self, name: str, arguments: int) -> bool:
        """Whether a call with so many arguments may be one of a method of the author's."""
        return arguments <= self.attributes.get(name, -1)


def own_names(function: Any, tree: ast.FunctionDef) -> OwnNames:
    """These names for a function and its source: of its own, of its module, and of the modules that
    it refers to, directly or not."""
    called = {a.arg for a in ast.walk(tree) if isinstance(a, ast.arg)}
    called |= {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
    called |= {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and _is_stored(n)}
    attributes: dict[str, float] = {}
    spaces = list(_around(function))
    for space in spaces:
        called |= space.keys()
    seen = {id(space) for space in spaces}
    while spaces:
        for value in list(spaces.pop().values()):
            for cls in _classes(value):
                for name, found in vars(cls).items():
                    if _is_method(found):
                        attributes[name] = max(_most(found), attributes.get(name, 0))
            more = _space(value)
            if more is not None and id(more) not in seen:
                seen.add(id(more))
                spaces.append(more)
    return OwnNames(frozenset(called), attributes)


def _is_stored(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _around(function: Any) -> Iterator[Mapping[str, Any]]:
    """The names outside of a function that it may use."""
    yield function.__globals__
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    found: dict[str, Any] = {}
    for name, cell in cells:
        try:
            found[name] = cell.cell_contents
        except ValueError:  # it is not assigned yet
            found[name] = None
    yield found


def _classes(value: Any) -> list[type]:
    """The class that a value is, or whose object it is, and its bases, as far as the author's."""
    cls = value if isinstance(value, type) else type(value)
    return [c for c in cls.__mro__ if _is_of_author(sys.modules.get(c.__module__))]


def _space(value: Any) -> Mapping[str, Any] | None:
    """The names of the author's module that a value is, or comes from."""
    if isinstance(value, types.ModuleType):
        return vars(value) if _is_of_author(value) else None
    module = sys.modules.get(getattr(inspect.unwrap(value), "__module__", None) or "")
    return vars(module) if module is not None and _is_of_author(module) else None


def _is_of_author(module: types.ModuleType | None) -> bool:
    """Whether a module is not of Python, nor installed. One without a file is: a notebook."""
    if module is None:
        return True
    if module.__name__.split(".")[0] in {"builtins", *sys.stdlib_module_names, "acrobat"}:
        return module.__name__ == "__main__"
    return not (getattr(module, "__file__", None) or "").startswith(_ELSEWHERE)


def _is_method(found: Any) -> bool:
    return isinstance(
        found,
        (types.FunctionType, staticmethod, classmethod, property, functools.cached_property),
    )


def _most(found: Any) -> float:
    """The most arguments that a call of a method may have, its object not counted."""
    if not isinstance(found, types.FunctionType) or found.__code__.co_flags & inspect.CO_VARARGS:
        return math.inf
    return found.__code__.co_argcount - 1
