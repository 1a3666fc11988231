"""Which lists of a function are certain to have one length.

Matrices whose sizes only the instance knows are lists, and every operation on them compares lengths
and broadcasts a length of 1. Where the lengths are certainly equal, nothing of this remains.
"""

from __future__ import annotations

from ...ir import typed as T
from ...ir.rebuild import rebuilt
from ...ir.rewrite import map_region, regions, with_regions
from ...ir.types import INT

_Scope = dict[T.Var, T.Atom]


class ListLengths:
    """The lengths of the lists of a function."""

    def __init__(self, body: T.Region) -> None:
        self._same: dict[T.Var, T.Atom] = {}  # variables that equal an earlier one
        self._lengths: dict[T.Var, T.Atom] = {}
        self._item_lengths: dict[T.Var, T.Atom] = {}  # of lists of lists, if all are of one length
        self._natural: set[T.Var] = set()  # lengths: numbers that are not negative
        self._stops: dict[T.Var, T.Atom] = {}  # of the indices of maps
        self._last: dict[T.Var, T.Atom] = {}  # a length less 1, and that length
        self._truths: dict[T.Var, bool] = {}
        self._inside(body, {}, set())

    def with_one_name(self, region: T.Region) -> T.Region:
        """`region` with one variable for equal lengths, so that maps over lists of one length have
        the same `stop`, and without the comparisons of these."""
        named = map_region(region, lambda v: self._same.get(v, v), lambda v: v)
        return self._without_repeated(named)

    def _without_repeated(self, region: T.Region) -> T.Region:
        stmts: list[T.Stmt] = []
        for stmt in region.stmts:
            taken = self._taken(stmt)
            if taken is not None:
                stmts += self._without_repeated(taken).stmts
            elif not stmt.outs or stmt.outs[0] not in self._same:
                inner = list(map(self._without_repeated, regions(stmt)))
                stmts.append(with_regions(stmt, inner))
        return rebuilt(region, stmts=tuple(stmts))

    def _taken(self, stmt: T.Stmt) -> T.Region | None:
        """The branch of a conditional that is certain to run."""
        truth = self._truth(self._one_name(stmt.cond)) if isinstance(stmt, T.If) else None
        if not isinstance(stmt, T.If) or truth is None:
            return None
        branch = stmt.then if truth else stmt.orelse
        return branch if isinstance(branch.end, T.Yield) else None

    def _inside(self, region: T.Region, measured: _Scope, visible: set[T.Var]) -> None:
        """Examine `region`. `measured`: lists whose length a statement before it computed;
        `visible`: the lengths that may stand in it. Both gain those of `region`."""
        for stmt in region.stmts:
            taken = self._taken(stmt)
            if taken is not None:
                self._inside(taken, measured, visible)
                assert isinstance(taken.end, T.Yield)
                self._same |= zip(stmt.outs, map(self._one_name, taken.end.values), strict=True)
                continue
            if isinstance(stmt, T.Let):
                self._let(stmt, measured, visible)
            if isinstance(stmt, T.Map):
                self._stops[stmt.index] = self._one_name(stmt.stop)
            for inner in regions(stmt):
                self._inside(inner, dict(measured), set(visible))
            if isinstance(stmt, T.Map) and not stmt.filtered:
                self._map(stmt, visible)
            elif isinstance(stmt, T.If):
                self._choice(stmt)

    def _let(self, stmt: T.Let, measured: _Scope, visible: set[T.Var]) -> None:
        match stmt:
            case T.Let((out,), T.ListOp("len", (T.Var() as xs,))):
                known = self._lengths.get(xs, measured.get(xs))
                if known is not None:
                    self._same[out] = known
                else:
                    measured[xs] = out
                    self._natural.add(out)
                    visible.add(out)
            case T.Let((out,), T.ListOp("get", (T.Var() as xs, _))) if xs in self._item_lengths:
                self._lengths[out] = self._item_lengths[xs]
            case T.Let((out,), T.ListOp("make", items)):
                self._lengths[out] = T.Const(len(items), INT)
            case T.Let((out,), T.Scalar(op, args)):
                self._scalar(out, op, tuple(map(self._one_name, args)))

    def _scalar(self, out: T.Var, op: str, args: tuple[T.Atom, ...]) -> None:
        match op, args:
            case "-", (length, T.Const(1)):
                self._last[out] = length
            case "min", (T.Var() as index, T.Var() as last):
                if last in self._last and self._last[last] == self._stops.get(index):
                    self._same[out] = index
            case (("==" | "!="), (T.Var() as a, T.Var() as b)) if a == b and a.type == INT:
                self._truths[out] = op == "=="
            case "and", _ if False in (self._truth(a) for a in args):
                self._truths[out] = False

    def _truth(self, atom: T.Atom) -> bool | None:
        return self._truths.get(atom) if isinstance(atom, T.Var) else None

    def _map(self, stmt: T.Map, visible: set[T.Var]) -> None:
        stop = self._one_name(stmt.stop)
        if isinstance(stop, T.Const) or stop in self._natural:
            self._lengths |= dict.fromkeys(stmt.outs, stop)
        if isinstance(stmt.body.end, T.Yield):
            for out, item in zip(stmt.outs, stmt.body.end.values, strict=True):
                item = self._one_name(item)
                length = self._lengths.get(item) if isinstance(item, T.Var) else None
                if isinstance(length, T.Const) or length in visible:
                    self._item_lengths[out] = length

    def _choice(self, stmt: T.If) -> None:
        """A conditional that gives the same length either way."""
        if stmt.then.stmts or stmt.orelse.stmts or len(stmt.outs) != 1:
            return
        then, orelse = stmt.then.end, stmt.orelse.end
        if isinstance(then, T.Yield) and isinstance(orelse, T.Yield):
            a, b = self._one_name(then.values[0]), self._one_name(orelse.values[0])
            if a == b and isinstance(a, T.Var):
                self._same[stmt.outs[0]] = a

    def _one_name(self, atom: T.Atom) -> T.Atom:
        return self._same.get(atom, atom) if isinstance(atom, T.Var) else atom
