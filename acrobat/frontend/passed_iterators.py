"""Iterators as arguments, `encode(p, reversed(xs))`, `total(f(x) for x in xs)`: a function whose
parameter is only what one loop runs over, or `sum` and the like, gets a list of the items.

Items that Python computes late are computed before the call: the function may not change anything
that the caller has.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .captures import captured
from .constructs.changed_parameters import closure_by
from .constructs.generators import changed_in_place
from .context import FunctionContext
from .scope import Env
from .syntax import parameters, parents_of
from .written import call, placed

_AT_ONCE = (reversed, zip, enumerate, iter)
_LATE = (map, filter)
_TAKERS = (list, tuple, set, sum, min, max, any, all, sorted)
_LOOPS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def with_passed_iterators(ctx: FunctionContext, tree: ast.FunctionDef) -> None:
    """Replace such arguments by lists."""
    local = {n.name: n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and any(True for _ in _iterators(ctx, node)):
            callee = _callee(ctx, node, local)
            if callee is not None:
                _replace(ctx, node, callee)


def _iterators(ctx: FunctionContext, node: ast.Call) -> Iterator[tuple[int | str, ast.expr, bool]]:
    """The arguments that are iterators: where they stand, and whether items are computed late."""
    places: list[tuple[int | str, ast.expr]] = list(enumerate(node.args))
    places += [(k.arg or "", k.value) for k in node.keywords]
    for place, value in places:
        if isinstance(value, ast.Starred):
            return  # what follows goes to parameters that are not known here
        if isinstance(value, ast.GeneratorExp):
            yield place, value, True
        elif isinstance(value, ast.Call) and value.args:
            found = ctx.static(value.func, Env())
            if any(found is f for f in (*_AT_ONCE, *_LATE)):
                yield place, value, any(found is f for f in _LATE)


def _callee(
    ctx: FunctionContext, node: ast.Call, local: dict[str, ast.FunctionDef]
) -> ast.FunctionDef | None:
    """The function that is called, of the author's or of the library's that are written in the
    model language."""
    if isinstance(node.func, ast.Name) and node.func.id in local:
        return local[node.func.id]
    if not isinstance(node.func, (ast.Name, ast.Attribute)):
        return None
    closure = closure_by(ctx, ctx.static(node.func, Env()))
    return None if closure is None else closure.tree


def _replace(ctx: FunctionContext, node: ast.Call, callee: ast.FunctionDef) -> None:
    names = [p.arg for p in parameters(callee)]
    given = set(names) | captured(callee, lambda _: ()).reads
    changes = bool(given & changed_in_place(ctx, callee.body) - {""})
    for place, value, late in list(_iterators(ctx, node)):
        if isinstance(place, int) and place >= len(names):
            continue
        name = names[place] if isinstance(place, int) else place
        if name not in names:
            continue
        items: ast.expr = call(list, value)
        instead = f"`list({ast.unparse(value)})`"
        if isinstance(value, ast.GeneratorExp):
            items = ast.ListComp(value.elt, value.generators)
            instead = f"a list, `{ast.unparse(items)}`"
        if not _runs_once(ctx, callee, name):
            ctx.fail(
                "AC012",
                value,
                f"an iterator for {callee.name}, which does more with {name} than one loop",
                instead,
            )
        if late and changes:
            ctx.fail(
                "AC012",
                value,
                f"an iterator whose items are computed while {callee.name} changes something",
                instead,
            )
        items = placed(items, value)
        if isinstance(place, int):
            node.args[place] = items
        else:
            next(k for k in node.keywords if k.arg == place).value = items


def _runs_once(ctx: FunctionContext, callee: ast.FunctionDef, name: str) -> bool:
    """Whether a parameter is only what one loop, or call, which is reached once, runs over."""
    parents = parents_of(callee)
    uses = [n for n in ast.walk(callee) if isinstance(n, ast.Name) and n.id == name]
    if len(uses) != 1 or any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in ast.walk(callee)):
        return False
    loop = parents[id(uses[0])]
    if isinstance(loop, ast.Call):
        if uses[0] not in loop.args or ctx.static(loop.func, Env()) not in _TAKERS:
            return False
    elif getattr(loop, "iter", None) is not uses[0]:
        return False
    if isinstance(loop, ast.comprehension):
        whole = parents[id(loop)]
        if not isinstance(whole, _LOOPS[2:]) or whole.generators[0] is not loop:
            return False
        loop = whole
    around = parents[id(loop)]
    while around is not callee:
        if isinstance(around, (*_LOOPS, ast.FunctionDef, ast.Lambda)):
            return False
        around = parents[id(around)]
    return True
