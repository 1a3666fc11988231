"""Parameters of functions and fields of data: types, defaults, how arguments are given."""

from __future__ import annotations

import ast
import collections.abc
import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..ir.types import Type

NO_DEFAULT = inspect.Parameter.empty


@dataclass(frozen=True, slots=True)
class Parameter:
    """`type` is None if it has no hint, or one that is wrong; `function`: its argument is a
    function, which each call determines when the model is compiled. `default` is a Python object or
    a binding."""

    name: str
    type: Type | None
    default: Any = NO_DEFAULT
    positional: bool = True
    by_name: bool = True
    function: bool = False


def means_function(evaluate: Callable[[], Any]) -> bool:
    """Whether a hint is `Callable`, or `Callable[[...], ...]`."""
    try:
        hint = evaluate()
    except Exception:  # whatever the author's expression raises; reading the hint reports it
        return False
    return (typing.get_origin(hint) or hint) is collections.abc.Callable


def ways(tree: ast.FunctionDef) -> Mapping[str, tuple[bool, bool]]:
    """For each parameter, whether it may be given by position, and whether by name."""
    arguments = tree.args
    found = {a.arg: (True, False) for a in arguments.posonlyargs}
    found |= {a.arg: (True, True) for a in arguments.args}
    return found | {a.arg: (False, True) for a in arguments.kwonlyargs}


def default_expressions(tree: ast.FunctionDef) -> dict[str, ast.expr]:
    """The defaults as they are written."""
    arguments = tree.args
    positional = [*arguments.posonlyargs, *arguments.args]
    behind = positional[len(positional) - len(arguments.defaults) :]
    found = {a.arg: d for a, d in zip(behind, arguments.defaults, strict=True)}
    words = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return found | {a.arg: d for a, d in words if d is not None}


def default_values(function: Any, tree: ast.FunctionDef) -> dict[str, Any]:
    """The defaults of a function outside of the model, which Python has evaluated."""
    arguments = tree.args
    positional = [*arguments.posonlyargs, *arguments.args]
    values = function.__defaults__ or ()
    behind = positional[len(positional) - len(values) :]
    found: dict[str, Any] = {a.arg: v for a, v in zip(behind, values, strict=True)}
    return found | (function.__kwdefaults__ or {})
