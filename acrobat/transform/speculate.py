"""Speculation: successive tensor-dependent decisions suspend once instead of once each.

Operations that only a decision needs are recorded where the decision is taken: after the previous
decision, often in a branch. By then the instance has suspended once more, although the operands
were known earlier. Such operations move up to where their operands are known, out of branches:

    h = op(x, w)                               h = op(x, w)
    if a:                                      c = op(h, v)
        m = read op(h, v)                      d = op(h, u)
    if b:                               ->     if a:
        n = read op(h, u)                          m = read c
                                               if b:
                                                   n = read d

Now all three are one node, and the second decision does not suspend. Work moved out of a branch
may be wasted, so only a little is moved, and nothing that can fail.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ir import typed as T
from ..ir.ops import OPS
from ..ir.rebuild import rebuilt
from ..ir.rewrite import map_bodies, regions, rhs_vars, with_regions
from ..ir.types import TensorType

# The most multiply-adds, or elements, that are moved for a decision: about 60 ns on one core.
MOST_WORK = 4096


def speculate(module: T.Module) -> T.Module:
    """`module` with the operations that decisions need moved up."""
    return map_bodies(module, lambda body: _at_beginning(*_move_up(body)))


def _move_up(region: T.Region) -> tuple[T.Region, list[T.Let]]:
    """`region` with operations moved up within it, and the operations that leave it."""
    stmts: list[T.Stmt] = []
    wanted: list[T.Var] = []
    for stmt in region.stmts:
        if isinstance(stmt, T.Let):
            stmts.append(stmt)
            if isinstance(stmt.rhs, T.Read):
                wanted.append(stmt.rhs.tensor)
            continue
        inner: list[T.Region] = []
        for sub in regions(stmt):
            new, left = _move_up(sub)
            if isinstance(stmt, T.If):
                stmts += left
                wanted += [v for s in left for v in s.outs]
            else:
                # Loop bodies and the arms of a match read variables that are defined only there.
                new = _at_beginning(new, left)
            inner.append(new)
        stmts.append(with_regions(stmt, inner))
    defined = {v: s for s in stmts for v in s.outs}
    moving: dict[T.Var, T.Let] = {}
    leaving: dict[T.Var, T.Let] = {}
    for tensor in wanted:
        found, free = _needed(tensor, defined)
        moving |= found
        if free:
            leaving |= found
    staying = [s for s in stmts if not leaving.keys() & set(s.outs)]
    out = [s for s in stmts if isinstance(s, T.Let) and leaving.keys() & set(s.outs)]
    return rebuilt(region, stmts=tuple(_early(staying, moving))), out


def _at_beginning(region: T.Region, stmts: Sequence[T.Stmt]) -> T.Region:
    return rebuilt(region, stmts=(*stmts, *region.stmts))


def _needed(tensor: T.Var, defined: Mapping[T.Var, T.Stmt]) -> tuple[dict[T.Var, T.Let], bool]:
    """The statements of `defined` that `tensor` needs and that may move, by the variable that they
    define; and whether these need nothing else of `defined`."""
    found: dict[T.Var, T.Let] = {}
    free, work, open_vars = True, 0, [tensor]
    while open_vars:
        var = open_vars.pop()
        if var not in defined or var in found:
            continue
        stmt = defined[var]
        more = _work(stmt)
        if more is None or work + more > MOST_WORK:
            free = False
            continue
        assert isinstance(stmt, T.Let)
        work += more
        found[var] = stmt
        open_vars += rhs_vars(stmt.rhs)
    return found, free


def _work(stmt: T.Stmt) -> int | None:
    """The multiply-adds or elements of `stmt`; None if it may not move."""
    if not isinstance(stmt, T.Let):
        return None
    if isinstance(stmt.rhs, (T.ParamRead, T.GetField)):
        return 0
    # A row of a table may not exist.
    if not isinstance(stmt.rhs, T.Op) or OPS[stmt.rhs.name].kind in ("lookup", "attention"):
        return None
    tensors = [v.type for v in (*stmt.outs, *rhs_vars(stmt.rhs)) if isinstance(v.type, TensorType)]
    work = max((t.size for t in tensors), default=0)
    if not OPS[stmt.rhs.name].contracts:
        return work
    # The weight, once per row of the operand.
    x = stmt.rhs.args[0]
    assert isinstance(x, T.Var) and isinstance(x.type, TensorType)
    return work * (x.type.size // (x.type.dims[-1].known or 1))


def _early(stmts: Sequence[T.Stmt], moving: Mapping[T.Var, T.Let]) -> list[T.Stmt]:
    """`stmts` with each statement of `moving` placed before the first one after its operands that
    may suspend."""
    done: list[T.Stmt] = []
    for stmt in stmts:
        at = len(done)
        if moving.keys() & set(stmt.outs):
            assert isinstance(stmt, T.Let)
            operands = set(rhs_vars(stmt.rhs))
            while at and not operands & set(done[at - 1].outs) and not _is_phase(done[at - 1]):
                at -= 1
            at = next((i for i in range(at, len(done)) if _interrupts(done[i])), len(done))
        done.insert(at, stmt)
    return done


def _interrupts(stmt: T.Stmt) -> bool:
    return not isinstance(stmt, T.Let) or isinstance(stmt.rhs, (T.Call, T.Parallel, T.Read))


def _is_phase(stmt: T.Stmt) -> bool:
    return isinstance(stmt, T.Let) and isinstance(stmt.rhs, T.NextPhase)
