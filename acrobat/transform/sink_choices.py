"""Choose a matrix of a table where it is used.

`w = p.experts[k]` before a loop would be a reference, through which every node of the loop would
read its own matrix. If the choice is repeated next to each use, which takes only the index, the
static block reads the table itself, and nodes of a batch that chose the same matrix share it.
"""

from __future__ import annotations

from ..ir import typed as T
from ..ir.rebuild import rebuilt
from ..ir.rewrite import map_bodies, map_rhs, regions, with_regions
from ..ir.types import TensorType

# Operations that move along with a choice: they are free next to its use, too.
_FREE = ("slice", "transpose")


def sink_choices(module: T.Module) -> T.Module:
    """`module` with the choice of a matrix next to the operations that use it."""
    return map_bodies(module, lambda body: _Sunk().region(body))


class _Sunk:
    """The state for one function. `made`: the definition of each choice, and of each part of one;
    `weights`: the variables that are weights."""

    def __init__(self) -> None:
        self.made: dict[T.Var, T.Let] = {}
        self.weights: set[T.Var] = set()

    def region(self, region: T.Region) -> T.Region:
        stmts: list[T.Stmt] = []
        # The choices made in the current block, and for each the variable that stands for it there;
        # after a call or a branch comes another block.
        here: dict[T.Var, T.Var] = {}
        for stmt in region.stmts:
            if not isinstance(stmt, T.Let):
                stmts.append(with_regions(stmt, [self.region(r) for r in regions(stmt)]))
                here = {}
                continue
            if isinstance(stmt.rhs, T.Op):
                used = map_rhs(stmt.rhs, lambda v: self.chosen(v, here, stmts))  # noqa: B023
                stmt = rebuilt(stmt, rhs=used)
            stmts.append(stmt)
            if isinstance(stmt.rhs, T.Call | T.Parallel | T.Read | T.NextPhase):
                here = {}
            self.note(stmt, here)
        return rebuilt(region, stmts=tuple(stmts))

    def note(self, let: T.Let, here: dict[T.Var, T.Var]) -> None:
        """Remember what `let` defines."""
        match let:
            case T.Let((out,), T.Weight(), _):
                self.weights.add(out)
            case T.Let((out,), T.Op("lookup", (table, _), _), _):
                if table in self.weights and _is_matrix(out):
                    self.made[out], here[out] = let, out
            case T.Let((out,), T.Op(name, (source, *_), _), _):
                if name in _FREE and source in self.made:
                    self.made[out], here[out] = let, out

    def chosen(self, var: T.Var, here: dict[T.Var, T.Var], stmts: list[T.Stmt]) -> T.Var:
        """The variable to use for `var`; if `var` is a choice made elsewhere, repeat it here."""
        if var not in self.made or var in here:
            return here.get(var, var)
        let = self.made[var]
        rhs = let.rhs
        if isinstance(rhs, T.Op) and rhs.name in _FREE:
            rhs = map_rhs(rhs, lambda v: self.chosen(v, here, stmts))
        here[var] = T.Var(var.name, var.type)
        stmts.append(T.Let((here[var],), rhs, let.span))
        return here[var]


def _is_matrix(var: T.Var) -> bool:
    return isinstance(var.type, TensorType) and len(var.type.dims) == 2
