"""What is known of the values of expressions (numbered_objects/inference.py)."""

from __future__ import annotations

import ast
import types
from typing import Any

from ..constructs.field_changes import attribute_of
from .calls import called
from .kinds import (
    MISSING,
    OTHER,
    Fixed,
    Kind,
    Many,
    Missing,
    Object,
    Parts,
    item_of,
    join,
    value_at,
)
from .look import Look

_OPERATORS = {
    ast.Add: "__add__",
    ast.Sub: "__sub__",
    ast.Mult: "__mul__",
    ast.Div: "__truediv__",
    ast.MatMult: "__matmul__",
}


def kind_of(look: Look, node: ast.expr) -> Kind | None:
    """What is known of an expression."""
    match node:
        case ast.Name(name):
            key = look.key(name)
            if key in look.function.variables or name in look.function.local:
                return look.function.variables.get(key)
            return OTHER
        case ast.Constant(value):
            return MISSING if value is None else OTHER
        case ast.Attribute(value, attr):
            return _attribute(look, look.eval(value), attr)
        case ast.Subscript(value, index):
            owner = look.eval(value)
            key = look.eval(index)
            if isinstance(owner, Object):
                return look.method(owner.cls, "__getitem__", [key], {})
            return value_at(owner, index)
        case ast.Call():
            return called(look, node)
        case ast.Lambda() | ast.Slice():
            if isinstance(node, ast.Slice):
                _parts(look, node)
            return OTHER
        case ast.UnaryOp(ast.Not(), operand):
            look.test(operand)
            return OTHER
        case ast.IfExp(test, body, orelse):
            look.test(test)
            return join(look.eval(body), look.eval(orelse))
        case ast.BoolOp(_, values):
            found: Kind | None = None
            for value in values:
                found = join(found, look.test(value))
            return found
        case ast.NamedExpr(target, value):
            kind = look.eval(value)
            look.assign(target, kind)
            return kind
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            return _comprehension(look, node)
        case ast.List(elements) | ast.Set(elements):
            found = None
            for each in elements:
                found = join(found, look.eval(each))
            return Many(found)
        case ast.Tuple(elements):
            kinds = [look.eval(e) for e in elements]
            if any(isinstance(e, ast.Starred) for e in elements):
                return Many(item_of(Parts(tuple(kinds))))
            return Parts(tuple(kinds))
        case ast.Starred(value):
            return item_of(look.eval(value))
        case ast.Dict(keys, values):
            key, item = None, None
            for k, v in zip(keys, values, strict=True):
                if k is None:
                    of = look.eval(v)
                    key, item = join(key, item_of(of)), join(item, value_at(of, ast.Name("_")))
                else:
                    key, item = join(key, look.eval(k)), join(item, look.eval(v))
            return Many(item, key, True)
        case ast.BinOp(left, op, right):
            a, b = look.eval(left), look.eval(right)
            if isinstance(a, Object):
                return look.method(a.cls, _OPERATORS.get(type(op), ""), [b], {})
            if isinstance(op, ast.Mult) and isinstance(a, Many):
                return a
            return join(a, b) if isinstance(a, (Many, Parts)) else OTHER
        case ast.Compare(left, ops, comparators):
            kinds = [look.eval(e) for e in (left, *comparators)]
            for how, x, y in zip(ops, kinds, kinds[1:], strict=False):
                if isinstance(how, (ast.Is, ast.IsNot)) and isinstance(y, Object):
                    look.named.add(y.cls)
                if isinstance(how, (ast.In, ast.NotIn)) and isinstance(y, Object):
                    look.method(y.cls, "__contains__", [x], {})
            return OTHER
    _parts(look, node)
    return OTHER


def _parts(look: Look, node: ast.AST) -> None:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            look.eval(child)
        else:
            _parts(look, child)


def _attribute(look: Look, owner: Kind | None, attr: str) -> Kind | None:
    match owner:
        case Object(cls):
            if isinstance(attribute_of(cls, attr), property):
                return look.method(cls, attr, [], {})
            if isinstance(attribute_of(cls, attr), types.FunctionType):
                look.method(cls, attr, [], {})  # `f = c.add`, which is called somewhere
            return look.fields.get((cls, attr))
        case Fixed(path):
            return Fixed(f"{path}.{attr}")
        case None | Missing():
            return None
    return OTHER


def _comprehension(look: Look, node: Any) -> Kind | None:
    bound: set[str] = set()
    first = look.items(node.generators[0].iter)
    for each in node.generators:
        bound |= {n.id for n in ast.walk(each.target) if isinstance(n, ast.Name)}
    look.scopes.append((id(node), bound))
    for i, each in enumerate(node.generators):
        look.assign(each.target, look.items(each.iter) if i else first)
        for test in each.ifs:
            look.test(test)
    if isinstance(node, ast.DictComp):
        made = Many(look.eval(node.value), look.eval(node.key), True)
    else:
        made = Many(look.eval(node.elt))
    look.scopes.pop()
    return made
