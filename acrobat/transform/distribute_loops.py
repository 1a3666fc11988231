"""Loop distribution: calls and inner loops that do not depend on earlier iterations run for all
iterations at once.

    for i in range(n):                          cs = map i in range(n):
        c = encode(xs[i])                           yield encode(xs[i])
        h = cell(c, h)              ->          for i in range(n):
                                                    h = cell(cs[i], h)

The iterations of a map are concurrent (instance parallelism), those of a loop are sequential: a
document's sentences, or a node's children, would be encoded one by one only because the loop adds
up the results. Operations directly in the loop body need no map, since hoisting runs them early,
unless the iterations do nothing but collect what they compute (`new.append(x)`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..ir import typed as T
from ..ir.exits import Exits
from ..ir.rebuild import rebuilt
from ..ir.rewrite import (
    fresh_copy,
    map_bodies,
    regions,
    statements,
    uses,
    with_regions,
)
from ..ir.types import INT, BoolType, FloatType, IntType, ListType
from .helpers.split_branches import split_branches

# Statements that a loop repeats rather than reading their results from a list.
_CHEAP = (T.Scalar, T.ParamRead, T.Weight, T.GetField, T.ListOp, T.Narrow)


def distribute_loops(module: T.Module) -> T.Module:
    """`module` with such calls and inner loops moved into maps before their loops."""
    return map_bodies(module, _region)


def _region(region: T.Region) -> T.Region:
    stmts: list[T.Stmt] = []
    for stmt in region.stmts:
        new = with_regions(stmt, [_region(r) for r in regions(stmt)])
        stmts += _distributed(new) if isinstance(new, T.For) else [new]
    return rebuilt(region, stmts=tuple(stmts))


def _distributed(loop: T.For) -> list[T.Stmt]:
    loop = _divided(loop)
    counts = loop.start == T.Const(0, INT) and loop.step == T.Const(1, INT)
    moved = _wanted(_early(loop), computes=_only_collects(loop)) if counts else []
    staying, needed = _staying(loop.body, moved)
    passed = [v for s in moved if not _is_cheap(s) for v in s.outs if v in needed]
    if not passed:
        return [loop]
    lists = [T.Var(v.name, ListType(v.type)) for v in passed]
    index = T.Var(loop.index.name, INT)
    iteration = T.Region(tuple(moved), T.Yield(tuple(passed)))
    before = T.Map(
        tuple(lists), index, loop.stop, fresh_copy(iteration, {loop.index: index}), span=loop.span
    )
    reads = [
        T.Let((v,), T.ListOp("get", (items, loop.index)), loop.span)
        for v, items in zip(passed, lists, strict=True)
    ]
    body = replace(loop.body, stmts=(*reads, *staying))
    return [before, replace(loop, body=body)]


def _divided(loop: T.For) -> T.For:
    """`loop` with conditionals split into a part that needs earlier iterations and one that does
    not."""
    late = set(loop.carried)
    stmts = split_branches(
        loop.body.stmts, late, lambda branch: _wanted(branch, in_branch=True), _staying
    )
    return rebuilt(loop, body=rebuilt(loop.body, stmts=tuple(stmts)))


def _early(loop: T.For) -> list[T.Stmt]:
    """The statements that every iteration runs and that need no earlier iteration."""
    late = set(loop.carried)
    found: list[T.Stmt] = []
    if _ends_early(loop.body):
        return found
    for stmt in loop.body.stmts:
        if _leaves(stmt):
            break  # `continue`: the rest is not always run
        if late.isdisjoint(uses(_alone(stmt))):
            found.append(stmt)
        else:
            late.update(stmt.outs)
    return found


def _only_collects(loop: T.For) -> bool:
    """Whether no iteration computes a tensor from those of earlier ones: the carried variables are
    numbers, and lists that only grow."""
    for var in loop.carried:
        if isinstance(var.type, (IntType, FloatType, BoolType)):
            continue
        if not isinstance(var.type, ListType) or not _only_grows(var, loop.body):
            return False
    return True


def _only_grows(items: T.Var, body: T.Region) -> bool:
    """Whether `body` only ever appends to the list."""
    names = {items}
    for stmt in body.stmts:
        if names.isdisjoint(uses(_alone(stmt))):
            continue
        match stmt:
            case T.Let((out,), T.ListOp("append", (xs, x))) if xs in names and x not in names:
                names.add(out)
            case _:
                return False
    return True


def _wanted(
    stmts: Sequence[T.Stmt], in_branch: bool = False, computes: bool = False
) -> list[T.Stmt]:
    """The statements that call or loop, those that decisions wait for, and those that these need.
    `in_branch`: they are in a branch, where every iteration waits for its own decisions alone;
    `computes`: also those that compute tensors, since no iteration needs another one's."""
    found: list[T.Stmt] = []
    awaited, waiting = _decisions(stmts, in_branch)
    needed = set(awaited)
    for stmt in reversed(stmts):
        wanted = _takes_time(stmt) or (id(stmt) in waiting and not _is_cheap(stmt))
        wanted |= computes and _computes(stmt)
        if wanted or not needed.isdisjoint(stmt.outs):
            found.append(stmt)
            needed.update(uses(_alone(stmt)))
    return found[::-1]


def _decisions(stmts: Sequence[T.Stmt], in_branch: bool) -> tuple[set[T.Var], set[int]]:
    """The tensors that decisions among `stmts` read, if none of them depends on a decision: once
    they are computed for all iterations, the first decision waits for all of them. Otherwise the
    statements, by identity, that decide or depend on a decision: then every iteration waits by
    itself, concurrently with the others."""
    awaited, decided = set[T.Var](), set[T.Var]()
    waiting: set[int] = set()
    together = not in_branch
    for stmt in stmts:
        behind = not decided.isdisjoint(uses(_alone(stmt)))
        reads = any(
            isinstance(s, T.Let) and isinstance(s.rhs, T.Read) for s in statements(_alone(stmt))
        )
        if isinstance(stmt, T.Let) and isinstance(stmt.rhs, T.Read):
            awaited.add(stmt.rhs.tensor)
            together &= not behind
        elif reads:
            together = False
        if reads or behind:
            waiting.add(id(stmt))
            decided.update(stmt.outs)
    return (awaited, set()) if together else (set(), waiting)


def _staying(body: T.Region, moved: Sequence[T.Stmt]) -> tuple[list[T.Stmt], set[T.Var]]:
    """The statements of `body` that are not `moved`, together with the cheap ones that they need;
    and all variables that these statements need."""
    found: list[T.Stmt] = []
    needed = set(uses(replace(body, stmts=())))
    gone = set(map(id, moved))
    for stmt in reversed(body.stmts):
        if id(stmt) not in gone or (_is_cheap(stmt) and not needed.isdisjoint(stmt.outs)):
            found.append(stmt)
            needed.update(uses(_alone(stmt)))
    return found[::-1], needed


def _takes_time(stmt: T.Stmt) -> bool:
    """Whether `stmt` is a call or a loop, or contains one. A loop without tensors counts, too."""
    return any(
        isinstance(s, (T.For, T.While, T.Map))
        or (isinstance(s, T.Let) and isinstance(s.rhs, (T.Call, T.Parallel)))
        for s in statements(_alone(stmt))
    )


def _computes(stmt: T.Stmt) -> bool:
    return any(isinstance(s, T.Let) and isinstance(s.rhs, T.Op) for s in statements(_alone(stmt)))


def _is_cheap(stmt: T.Stmt) -> bool:
    return isinstance(stmt, T.Let) and isinstance(stmt.rhs, _CHEAP)


def _ends_early(body: T.Region) -> bool:
    """Whether the loop with that body may end before its last iteration. A `break` of an inner
    loop does not count."""
    if isinstance(body.end, (T.Break, T.Return)):
        return True
    return any(
        Exits().returns(s)
        if isinstance(s, (T.For, T.While, T.Map))
        else any(map(_ends_early, regions(s)))
        for s in body.stmts
    )


def _leaves(stmt: T.Stmt) -> bool:
    """Whether some path through `stmt`, which is known not to end the loop, ends the iteration."""
    if isinstance(stmt, (T.For, T.While, T.Map)):
        return False
    return any(isinstance(r.end, T.Continue) or any(map(_leaves, r.stmts)) for r in regions(stmt))


def _alone(stmt: T.Stmt) -> T.Region:
    return T.Region((stmt,), T.Unreachable())
