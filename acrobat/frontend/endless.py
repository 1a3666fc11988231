"""Whether a `while` loop counts towards its bound, as far as its syntax shows."""

from __future__ import annotations

import ast

from .captures import own_nodes

_RISING, _FALLING = (ast.Lt, ast.LtE), (ast.Gt, ast.GtE)


def may_be_endless(tree: ast.FunctionDef) -> bool:
    """Whether a `while` of the function compares a number that does not count towards what it is
    compared with. Other conditions are about a structure that a loop walks through, or empties."""
    loops = [n for n in own_nodes(tree.body) if isinstance(n, ast.While)]
    return any(_compares_numbers(loop.test) and not _counts(loop) for loop in loops)


def _compares_numbers(test: ast.expr) -> bool:
    match test:
        case ast.BoolOp(ast.And(), parts):
            return all(map(_compares_numbers, parts))
        case ast.Compare(left, [op], [right]):
            plain = not any(isinstance(n, ast.Call) for n in ast.walk(test))
            numbers = not isinstance(op, (ast.Is, ast.IsNot, ast.In, ast.NotIn))
            none = any(isinstance(n, ast.Constant) and n.value is None for n in (left, right))
            return plain and numbers and not none
    return False


def _counts(loop: ast.While) -> bool:
    """Whether one of its conditions must fail in the end: `while i < n: ... i += 1`."""
    tests = loop.test.values if isinstance(loop.test, ast.BoolOp) else [loop.test]
    for test in tests:
        match test:
            case ast.Compare(ast.Name(name), [op], [_]):
                rises = isinstance(op, _RISING)
                if (rises or isinstance(op, _FALLING)) and _steps(loop.body, name, rises):
                    return True
            case ast.Compare(_, [op], [ast.Name(name)]):
                rises = isinstance(op, _FALLING)
                if (rises or isinstance(op, _RISING)) and _steps(loop.body, name, rises):
                    return True
    return False


def _steps(body: list[ast.stmt], name: str, rises: bool) -> bool:
    """Whether every iteration changes `name` by a constant in this direction, and by nothing
    else: the statement is one of the loop's own, and nothing continues before it."""
    stores = [
        n for s in body for n in ast.walk(s) if isinstance(n, ast.Name) and _is_store(n, name)
    ]
    skips = any(isinstance(n, ast.Continue) for s in body for n in ast.walk(s))
    for stmt in body:
        match stmt:
            case ast.AugAssign(ast.Name(to), op, ast.Constant(int() | float() as step)):
                if to == name and len(stores) == 1 and not skips and step > 0:
                    falls = isinstance(op, (ast.Sub, ast.FloorDiv, ast.RShift))
                    return isinstance(op, ast.Add) if rises else falls
    return False


def _is_store(node: ast.Name, name: str) -> bool:
    return node.id == name and isinstance(node.ctx, ast.Store)
