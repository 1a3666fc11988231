"""Arguments of calls that make objects: which parameters always get a new list or dict, to which
nothing else refers."""

from __future__ import annotations

import ast
import dataclasses
from typing import Any

from ..plain_classes import made_by_fields
from ..syntax import parameters
from .inference import Inference
from .kinds import Many
from .program import Function, GivenUp, needed_init, static


def new_collections(look: Inference, cls: type) -> dict[str, bool]:
    """The parameters of a class that are given a new list (False) or a new dict (True) wherever an
    object is made."""
    if made_by_fields(cls):
        fields = [f for f in dataclasses.fields(cls) if f.init]
        positional = [f.name for f in fields if not f.kw_only]
        names, defaults = [f.name for f in fields], dataclass_defaults(cls)
    else:
        init = needed_init(look.program, cls)
        positional = [p.arg for p in [*init.tree.args.posonlyargs, *init.tree.args.args][1:]]
        names, defaults = [p.arg for p in parameters(init.tree)[1:]], {}
    found: dict[str, bool] = {}
    for name in names:
        ways = set[bool | None]()
        for call, function in look.calls[cls].values():
            given = dict(zip(positional, call.args, strict=False))
            given |= {k.arg: k.value for k in call.keywords if k.arg is not None}
            ways.add(_new(look, function, given.get(name) or defaults.get(name)))
        if len(ways) == 1:
            (way,) = ways
            if way is not None:
                found[name] = way
    return found


def _new(look: Inference, function: Function, node: ast.expr | None) -> bool | None:
    """Whether an expression makes a dict; None if it does not make a list or a dict."""
    match node:
        case ast.List() | ast.ListComp():
            return False
        case ast.Dict() | ast.DictComp():
            return True
        case ast.BinOp(left, ast.Add() | ast.Mult()):
            kind = look.at.get(id(left))
            return False if isinstance(kind, Many) and not kind.is_dict else None
        case ast.Call(func):
            made: Any = static(function, func)
            return {list: False, sorted: False, dict: True}.get(made) if callable(made) else None
    return None


def dataclass_defaults(cls: type) -> dict[str, ast.expr]:
    """The expressions of the defaults of a dataclass."""
    found: dict[str, ast.expr] = {}
    for f in dataclasses.fields(cls):
        if not f.init:
            raise GivenUp
        made = f.default_factory
        if made is list:
            found[f.name] = ast.List([], ast.Load())
        elif made is dict:
            found[f.name] = ast.Dict([], [])
        elif f.default is None or isinstance(f.default, (bool, int, float, str)):
            found[f.name] = ast.Constant(f.default)
        elif f.default is not dataclasses.MISSING or made is not dataclasses.MISSING:
            raise GivenUp
    return found
