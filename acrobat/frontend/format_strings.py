"""`"{} of {n:.2f}".format(x, n=y)`, rewritten as an f-string."""

from __future__ import annotations

import ast
import string

from .written import placed


def as_f_string(node: ast.Call) -> ast.expr | None:
    """The f-string of such a call; None if it is none, or if the arguments would not be evaluated
    once each, and in their order."""
    match node.func:
        case ast.Attribute(ast.Constant(str(text)), "format"):
            pass
        case _:
            return None
    if any(isinstance(a, ast.Starred) for a in node.args):
        return None
    given = {str(i): a for i, a in enumerate(node.args)}
    given |= {k.arg: k.value for k in node.keywords if k.arg is not None}
    if len(given) < len(node.args) + len(node.keywords):
        return None
    parts: list[ast.expr] = []
    used: list[str] = []
    try:
        fields = list(string.Formatter().parse(text))
    except ValueError:
        return None
    numbered = {f for _, f, _, _ in fields if f is not None and f.isdecimal()}
    for before, name, spec, conversion in fields:
        if before:
            parts.append(ast.Constant(before))
        if name is None:
            continue
        key = name or str(sum(u.isdecimal() for u in used))
        if key not in given or "{" in (spec or "") or (not name and numbered):
            return None
        used.append(key)
        kind = ast.JoinedStr([ast.Constant(spec)]) if spec else None
        parts.append(ast.FormattedValue(given[key], ord(conversion) if conversion else -1, kind))
    simple = all(isinstance(v, (ast.Name, ast.Constant)) for v in given.values())
    if used != list(given) and not simple:
        return None
    return placed(ast.JoinedStr(parts), node)
