"""What the syntax tree alone can tell: which names statements assign, read or append to."""

from __future__ import annotations

import ast


def parameters(tree: ast.FunctionDef) -> list[ast.arg]:
    """The parameters of a function, in order; `*args` and `**kwargs` are none."""
    return [*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs]


def names_assigned(body: list[ast.stmt]) -> set[str]:
    """The local names that the statements of `body` may assign. The targets of a comprehension are
    names of its own."""
    names: set[str] = set()
    work: list[ast.AST] = list(body)
    while work:
        node = work.pop()
        if isinstance(node, ast.comprehension):
            work += [node.iter, *node.ifs]
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.MatchAs) and node.name:
            names.add(node.name)
        work.extend(ast.iter_child_nodes(node))
    return names


def names_in(node: ast.AST) -> set[str]:
    """The names that occur in `node`."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def names_appended_to(body: list[ast.stmt]) -> set[str]:
    """The names on which `body` calls `append`."""
    calls = [n for stmt in body for n in ast.walk(stmt) if isinstance(n, ast.Call)]
    return {
        c.func.value.id
        for c in calls
        if isinstance(c.func, ast.Attribute)
        and c.func.attr == "append"
        and isinstance(c.func.value, ast.Name)
    }


def names_used_whole(body: list[ast.stmt]) -> set[str | None]:
    """The names that `body` reads other than for a field."""
    nodes = [n for stmt in body for n in ast.walk(stmt)]
    owners = {id(n.value) for n in nodes if isinstance(n, ast.Attribute)}
    loads = [n for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    return {n.id for n in loads if id(n) not in owners}


def makes_list(node: ast.expr) -> bool:
    """Whether `node`, if its value is a list, makes one that nothing else refers to."""
    sliced = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)
    return sliced or isinstance(node, (ast.List, ast.ListComp, ast.BinOp))
