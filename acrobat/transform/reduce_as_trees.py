"""Turn loops that only add up, or take the largest or smallest, into maps and trees.

    s = zeros
    for x in xs:                    es = map x in xs:
        s = s + x @ w       ->          yield x @ w
                                    s = the sum of es, as a tree

Each iteration of the loop takes a depth; those of the map take one together, and the tree
(`ir.reduction_tree`) takes the logarithm of their number. This applies to loops whose carried
tensors are all reductions, by an associative operation (`add`, `maximum`, `minimum`), of values
that need no earlier iteration. If a loop has a recurrence as well, its sum is computed in the same
nodes and costs no extra depth, so such loops stay as they are. A tree adds in a different order
from a loop: sums differ in the last bits. In a recursion, what follows is written twice, for lists
without items (`helpers/leaves.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..analysis.call_graph import recursive
from ..ir import typed as T
from ..ir.rebuild import rebuilt
from ..ir.reduction_tree import Statements, balanced, folds
from ..ir.reduction_tree import zeros as zeros_of
from ..ir.rewrite import fresh_copy, regions, statements, uses, with_regions
from ..ir.types import BOOL, FLOAT, INT, ListType, TensorType
from .helpers.leaves import Reduced, has_leaves, with_leaves

_ASSOCIATIVE = ("add", "maximum", "minimum")

# Statements that a loop repeats rather than reading their results from a list, and that may stay
# in it.
_CHEAP = (T.Scalar, T.ParamRead, T.Weight, T.GetField, T.GetItem, T.ListOp, T.Narrow)

# A loop of at most this many iterations, known at compile time, is as good as a tree.
_FEW = 2


def reduce_as_trees(module: T.Module) -> T.Module:
    """`module` with such loops turned into maps and trees."""
    again = recursive(module)
    functions = {
        name: rebuilt(f, body=_region(f.body, _zeros(f.body), name in again))
        for name, f in module.functions.items()
    }
    return rebuilt(module, functions=functions)


def _zeros(body: T.Region) -> frozenset[T.Var]:
    """The variables that are tensors of zeros."""
    return frozenset(
        v
        for s in statements(body)
        if isinstance(s, T.Let) and isinstance(s.rhs, T.Op) and s.rhs.name == "zeros"
        for v in s.outs
    )


def _region(region: T.Region, zeros: frozenset[T.Var], in_recursion: bool) -> T.Region:
    stmts: list[T.Stmt] = []
    for at, stmt in enumerate(region.stmts):
        new = with_regions(stmt, [_region(r, zeros, in_recursion) for r in regions(stmt)])
        found = _reduced(new, zeros) if isinstance(new, T.For) else None
        if found is None:
            stmts.append(new)
            continue
        rest = replace(region, stmts=region.stmts[at + 1 :])
        if in_recursion and has_leaves(found, rest):
            return with_leaves(found, stmts, rest)
        stmts += [*found.maps, *found.totals, *found.others]
    return rebuilt(region, stmts=tuple(stmts))


@dataclass(frozen=True, slots=True)
class _Reduction:
    """In every iteration, `op` joins the carried variable at `place` with `operands`."""

    place: int
    op: str
    operands: tuple[T.Var, ...]


def _reduced(loop: T.For, zeros: frozenset[T.Var]) -> Reduced | None:
    """What replaces `loop`; None if it is not a reduction."""
    if _is_short(loop) or _leaves(loop.body):
        return None
    early = _early(loop)
    found, joins = _reductions(loop, early)
    others = [i for i in range(len(loop.carried)) if i not in {r.place for r in found}]
    if not found or not all(_is_plain(loop.carried[i]) for i in others):
        return None
    staying, passed = _staying(loop, others, early, joins)
    if not all(map(_is_cheap, staying)):
        return None
    maps, totals = Statements(loop.span, []), Statements(loop.span, [])
    lists = _mapped(maps, loop, early, found, passed)
    _totals(totals, loop, list(zip(found, lists, strict=False)), zeros)
    inits = {loop.outs[r.place]: loop.inits[r.place] for r in found}
    made = Reduced(lists[0], inits, maps.stmts, totals.stmts)
    if others:
        reads = [
            T.Let((v,), T.ListOp("get", (items, loop.index)), loop.span)
            for v, items in zip(passed, lists[len(found) :], strict=True)
        ]
        assert isinstance(loop.body.end, T.Yield)
        values = loop.body.end.values
        body = T.Region((*reads, *staying), T.Yield(tuple(values[i] for i in others)))
        made.others.append(
            replace(
                loop,
                outs=tuple(loop.outs[i] for i in others),
                carried=tuple(loop.carried[i] for i in others),
                inits=tuple(loop.inits[i] for i in others),
                body=body,
            )
        )
    return made


def _is_short(loop: T.For) -> bool:
    bounds = (loop.start, loop.stop, loop.step)
    if not all(isinstance(b, T.Const) for b in bounds):
        return False
    start, stop, step = (int(b.value) for b in bounds if isinstance(b, T.Const))
    return len(range(start, stop, step)) <= _FEW


def _is_plain(carried: T.Var) -> bool:
    """Whether the loop may keep carrying the variable, because that takes no depth."""
    return carried.type in (INT, FLOAT, BOOL) or isinstance(carried.type, ListType)


def _early(loop: T.For) -> list[T.Stmt]:
    """The statements of an iteration that need no earlier iteration."""
    late = set(loop.carried)
    found = []
    for stmt in loop.body.stmts:
        if late.isdisjoint(uses(_alone(stmt))):
            found.append(stmt)
        else:
            late.update(stmt.outs)
    return found


def _reductions(loop: T.For, early: Sequence[T.Stmt]) -> tuple[list[_Reduction], frozenset[T.Var]]:
    """The carried tensors that are reductions, and the results of the operations that reduce."""
    count = Counter(uses(loop.body))
    late = set(loop.carried) | {v for s in loop.body.stmts for v in s.outs}
    late -= {v for s in early for v in s.outs}
    ops = {
        s.outs[0]: s.rhs
        for s in loop.body.stmts
        if isinstance(s, T.Let) and isinstance(s.rhs, T.Op) and s.rhs.name in _ASSOCIATIVE
    }
    assert isinstance(loop.body.end, T.Yield)
    found: list[_Reduction] = []
    joins: set[T.Var] = set()
    for place, (var, value) in enumerate(zip(loop.carried, loop.body.end.values, strict=True)):
        op = ops[value].name if isinstance(value, T.Var) and value in ops else ""
        operands: list[T.Var] = []
        passed: list[T.Var] = []
        at: T.Atom = value
        while isinstance(at, T.Var) and at in ops and ops[at].name == op and count[at] == 1:
            nexts = [a for a in ops[at].args if a in late]
            rest = [a for a in ops[at].args if a not in late]
            if len(nexts) != 1 or not isinstance(rest[0], T.Var) or rest[0].type != var.type:
                break
            passed.append(at)
            operands.append(rest[0])
            at = nexts[0]
        if operands and at == var and count[var] == 1 and isinstance(var.type, TensorType):
            found.append(_Reduction(place, op, tuple(reversed(operands))))
            joins.update(passed)
    return found, frozenset(joins)


def _staying(
    loop: T.For, others: Sequence[int], early: Sequence[T.Stmt], joins: frozenset[T.Var]
) -> tuple[list[T.Stmt], list[T.Var]]:
    """The statements that the carried variables `others` need, and which results of the map these
    statements read."""
    assert isinstance(loop.body.end, T.Yield)
    needed = {v for i in others if isinstance(v := loop.body.end.values[i], T.Var)}
    before = set(map(id, early))
    staying: list[T.Stmt] = []
    passed: list[T.Var] = []
    for stmt in reversed(loop.body.stmts):
        wanted = [v for v in stmt.outs if v in needed and v not in joins]
        if not wanted:
            continue
        if id(stmt) in before and not _is_cheap(stmt):
            passed += wanted
        else:
            staying.append(stmt)
            needed.update(uses(_alone(stmt)))
    return staying[::-1], passed


def _mapped(
    to: Statements,
    loop: T.For,
    early: Sequence[T.Stmt],
    found: Sequence[_Reduction],
    passed: Sequence[T.Var],
) -> list[T.Var]:
    """Append a map that collects the operands of the reductions, and `passed`, of every iteration;
    return its lists."""
    count, index = loop.stop, T.Var(loop.index.name, INT)
    body = to.inner()
    number: T.Atom = index
    if loop.start != T.Const(0, INT) or loop.step != T.Const(1, INT):
        count = to.number("range_length", loop.start, loop.stop, loop.step)
        number = body.number("range_item", loop.start, index, loop.step)
    last = to.inner()
    values = [balanced(last, r.op, r.operands) for r in found]
    region = T.Region((*early, *last.stmts), T.Yield((*values, *passed)))
    copy = fresh_copy(region, {loop.index: number})
    types = [loop.carried[r.place] for r in found]
    outs = tuple(T.Var(v.name, ListType(v.type)) for v in (*types, *passed))
    body.stmts += copy.stmts
    to.stmts.append(
        T.Map(outs, index, count, T.Region(tuple(body.stmts), copy.end), False, loop.span)
    )
    return list(outs)


def _totals(
    to: Statements,
    loop: T.For,
    reductions: Sequence[tuple[_Reduction, T.Var]],
    zeros: frozenset[T.Var],
) -> None:
    """Append the reductions as one tree, with the loop's initial values as further items. An item
    of its own kind, zero to add, or the initial value itself, changes nothing."""
    ops = [r.op for r, _ in reductions]
    inits = [loop.inits[r.place] for r, _ in reductions]
    fillers = [zeros_of(to, v.type) if op == "add" else v for op, v in zip(ops, inits, strict=True)]
    items = folds(ops, fillers).last_items(to, [items for _, items in reductions])
    for (r, _), op, init, *values in zip(reductions, ops, inits, *items, strict=True):
        given = values if op == "add" and init in zeros else [init, *values]
        balanced(to, op, given, loop.outs[r.place])


def _is_cheap(stmt: T.Stmt) -> bool:
    return isinstance(stmt, T.Let) and isinstance(stmt.rhs, _CHEAP)


def _leaves(body: T.Region) -> bool:
    """Whether an iteration may end early."""
    inner = [r for s in statements(body) for r in regions(s)]
    return any(not isinstance(r.end, T.Yield) for r in (body, *inner))


def _alone(stmt: T.Stmt) -> T.Region:
    return T.Region((stmt,), T.Unreachable())
