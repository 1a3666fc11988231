"""What statements give to names and fields (numbered_objects/inference.py)."""

from __future__ import annotations

import ast

from .kinds import MISSING, Many, join
from .look import Look


def look_at(look: Look, stmt: ast.stmt, around: ast.FunctionDef | None) -> None:
    """Look at a statement, of the local function `around`."""
    match stmt:
        case ast.Assign(targets, value):
            kind = look.eval(value)
            for target in targets:
                look.eval_target(target)
                look.assign(target, kind)
        case ast.AnnAssign(target, _, value):
            if value is not None:
                kind = look.eval(value)
                look.eval_target(target)
                look.assign(target, kind)
        case ast.AugAssign(target, _, value):
            kind = look.eval(value)
            look.eval_target(target)
            look.assign(target, kind if isinstance(kind, Many) else None)
        case ast.For(target, each, body, orelse):
            look.assign(target, look.items(each))
            for inner in [*body, *orelse]:
                look.statement(inner, around)
            look.eval_target(target)
        case ast.Return(value):
            kind = MISSING if value is None else look.eval(value)
            if around is not None:
                look.bind_result(around, kind)
            else:
                new = join(look.function.result, kind)
                look.grown = look.grown or new != look.function.result
                look.function.result = new
        case ast.FunctionDef(body=body):
            for inner in body:
                look.statement(inner, stmt)
        case _:
            if isinstance(stmt, (ast.If, ast.While, ast.Assert)):
                look.test(stmt.test)
            for child in ast.iter_child_nodes(stmt):
                if isinstance(child, ast.stmt):
                    look.statement(child, around)
                elif isinstance(child, ast.match_case):
                    if child.guard is not None:
                        look.eval(child.guard)
                    for inner in child.body:
                        look.statement(inner, around)
                elif isinstance(child, ast.expr):
                    look.eval_target(child) if isinstance(stmt, ast.Delete) else look.eval(child)
                    if isinstance(stmt, ast.Delete):
                        look.assign(child, None, False)
