"""A growing run of tensor operations that no call or branch interrupts: which operations it takes
in, which statements are deferred until it is closed, and the blocks that it becomes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from ...analysis.hoistable import Given, split_early
from ...ir import batched as B
from ...ir import typed as T
from ...ir.arena_weights import arena_weights
from ...ir.rewrite import rhs_atoms
from ...ir.span import Span
from ...ir.types import TensorType
from ...limits import MAX_BLOCK_OPERATIONS
from .block_table import BlockTable

# The most floats of a weight that is copied to the arena so that its rows can be passed on: 64 MiB.
LARGEST_COPY = 1 << 24


@dataclass(frozen=True, slots=True)
class Grouping:
    """`coarsen`: whole runs become blocks. `share`: weights are operands of the block, not of the
    node. `hoist`: operations that do not depend on the recursion run before it."""

    coarsen: bool = True
    share: bool = True
    hoist: bool = True


@dataclass(frozen=True, slots=True)
class Known:
    """What is known about one function: how often it uses each variable, which values the instance
    gives, which variables are weights (and their names)."""

    how: Grouping
    table: BlockTable
    uses: Counter[T.Var]
    given: Given
    weights: dict[T.Var, str] = field(default_factory=dict)


class OpenRun:
    """The statements of one region, and the run of operations that is still open. Operations are
    hoisted only in a region that is `repeated`: others have nothing to run ahead of."""

    def __init__(self, known: Known, repeated: bool) -> None:
        self.known, self.repeated = known, repeated
        self.stmts: list[B.Stmt] = []
        self.ops: list[B.BlockOp] = []
        self.defined: set[T.Var] = set()
        # Statements that need the open run, but that the run does not need: they follow it.
        self.deferred: list[B.Let] = []
        self.deferred_vars: set[T.Var] = set()

    def handles(self, atoms: tuple[T.Atom, ...]) -> tuple[T.Atom, ...]:
        """`atoms` with weights replaced by references to their copies in the arena."""
        return tuple(self._handle(a) for a in atoms)

    def _handle(self, atom: T.Atom) -> T.Atom:
        if not isinstance(atom, T.Var) or atom not in self.known.weights:
            return atom
        return self._weight_reference(atom, self.known.weights[atom])

    def _weight_reference(self, var: T.Var, path: str) -> T.Var:
        self._note(var, path)
        handle = T.Var(var.name, var.type)
        self.stmts.append(B.Let((handle,), B.WeightReference(path)))
        self.known.given.add(handle)
        return handle

    def _note(self, var: T.Var, path: str) -> None:
        assert isinstance(var.type, TensorType)
        self.known.table.weights[path] = var.type

    def add(self, out: T.Var, op: T.Op, span: Span) -> None:
        used = {a for a in op.args if isinstance(a, T.Var)}
        if used & self.deferred_vars:
            self.flush()
        if op.name == "lookup" and not self._is_table(op) and used & self.defined:
            self.flush()
        view = None if used & self.defined else self._view(out, op)
        if view is not None:
            self.stmts.append(B.Let((out,), view, span))
            source = view.source
            self.known.given.follow(out, source)
            return
        args = tuple(self._number(a) for a in op.args) if op.name != "lookup" else op.args
        self.ops.append(B.BlockOp(out, T.Op(op.name, args, op.attrs), span))
        self.defined.add(out)
        if not self.known.how.coarsen or len(self.ops) >= MAX_BLOCK_OPERATIONS:
            self.flush()

    def _is_table(self, op: T.Op) -> bool:
        return self.known.how.share and op.args[0] in self.known.weights

    def _view(self, out: T.Var, op: T.Op) -> B.View | B.RowOf | None:
        """`op` as a handle into the memory of an operand computed elsewhere, if possible."""
        if op.name == "lookup" and self._is_table(op):
            return None
        if op.name not in ("slice", "reshape", "lookup"):
            return None
        assert isinstance(out.type, TensorType) and isinstance(op.args[0], T.Var)
        assert isinstance(op.args[0].type, TensorType)
        if op.name == "slice" and len(op.args[0].type.dims) > 1 and op.attr("axis") != 0:
            return None
        (source,) = self.handles(op.args[:1])
        assert isinstance(source, T.Var) and isinstance(source.type, TensorType)
        if op.name == "reshape":
            return B.View(source, 0)
        if op.name == "lookup":
            return B.RowOf(source, op.args[1])
        start = op.attr("start")
        assert isinstance(start, int)
        return B.View(source, start * (source.type.size // (source.type.dims[0].known or 1)))

    def _number(self, atom: T.Atom) -> T.Atom:
        """An int or float that is only known at run time, as a tensor of rank 0."""
        if not isinstance(atom, T.Var) or isinstance(atom.type, TensorType):
            return atom
        handle = T.Var(atom.name, TensorType(()))
        self.stmts.append(B.Let((handle,), B.ScalarReference(atom)))
        return handle

    def other(self, outs: tuple[T.Var, ...], rhs: T.Rhs, span: Span) -> None:
        """Add a call or a decision, which closes the run; or a pure statement, which is deferred
        until the run is closed if it needs one of the run's results."""
        used = {a for a in rhs_atoms(rhs) if isinstance(a, T.Var)}
        if isinstance(rhs, (T.Call, T.Parallel, T.Read, T.NextPhase)):
            self.flush()
        match rhs:
            case T.Call(name, args):
                new: B.Rhs = T.Call(name, self.handles(args))
            case T.Parallel(calls):
                new = T.Parallel(tuple(T.Call(c.function, self.handles(c.args)) for c in calls))
            case T.Construct(data, args):
                new = T.Construct(data, self.handles(args))
            case T.ListOp(op, args):
                args = self.handles(args)
                new = T.ListOp(op, args)
                self.known.given.follow(outs[0], *args)
            case T.Read(tensor):
                (handle,) = self.handles((tensor,))
                assert isinstance(handle, T.Var)
                new = T.Read(handle)
            case T.GetField(obj, _) | T.Narrow(obj):
                self.known.given.follow(outs[0], obj)
                new = rhs
            case T.Scalar() | T.NextPhase():
                new = rhs
            case _:
                raise AssertionError(f"{type(rhs).__name__} does not occur at this stage")
        let = B.Let(outs, new, span)
        if used & (self.defined | self.deferred_vars):
            self.deferred.append(let)
            self.deferred_vars.update(outs)
        else:
            self.stmts.append(let)

    def flush(self) -> None:
        """Close the open run: one block, one node; or two, if a part of it can be hoisted."""
        self._rows_as_handles()
        if self.ops:
            if self.known.how.hoist and self.repeated:
                early, late = split_early(self.ops, self.known.given, self.known.weights)
            else:
                early, late = [], self.ops
            if early:
                self._emit(early, True)
            if late:
                self._emit(late, False)
        self.stmts.extend(self.deferred)
        self.ops, self.defined, self.deferred, self.deferred_vars = [], set(), [], set()

    def _rows_as_handles(self) -> None:
        """Make rows of weights that the run only passes on handles to the weight itself, without a
        node. (Not if the weight is so large that a second copy, in the arena, would matter.)"""
        used = {a for o in self.ops for a in o.op.args}
        kept: list[B.BlockOp] = []
        for o in self.ops:
            table = o.op.args[0] if o.op.name == "lookup" else None
            small = isinstance(table, T.Var) and isinstance(table.type, TensorType)
            small = small and table.type.size <= LARGEST_COPY  # type: ignore[union-attr]
            if not small or o.out in used or not self.known.how.coarsen:
                kept.append(o)
                continue
            (source,) = self.handles(o.op.args[:1])
            assert isinstance(source, T.Var)
            self.stmts.append(B.Let((o.out,), B.RowOf(source, o.op.args[1]), o.span))
            self.known.given.add(o.out)
        self.ops = kept

    def _emit(self, ops: list[B.BlockOp], hoisted: bool) -> None:
        defined = {o.out for o in ops}
        inside = Counter(a for o in ops for a in o.op.args if isinstance(a, T.Var))
        outputs = tuple(o.out for o in ops if self.known.uses[o.out] > inside[o.out])
        block, operands, indices = self._block(ops, defined, outputs, frozenset())
        unpacked = arena_weights(block)
        if unpacked:
            block, operands, indices = self._block(ops, defined, outputs, frozenset(unpacked))
        number = self.known.table.number(block, hoisted)
        self.stmts.append(
            B.Run(outputs, number, tuple(operands), tuple(indices), hoisted, ops[0].span)
        )

    def _block(
        self,
        ops: list[B.BlockOp],
        defined: set[T.Var],
        outputs: tuple[T.Var, ...],
        unpacked: frozenset[str],
    ) -> tuple[B.Block, list[T.Atom], list[T.Atom]]:
        """The block, and the handles and row numbers that its node gets. Weights in `unpacked` are
        read through handles."""
        inputs: dict[object, B.BlockInput] = {}
        rename: dict[T.Var, T.Var] = {}
        operands: list[T.Atom] = []
        indices: list[T.Atom] = []
        new: list[B.BlockOp] = []
        for o in ops:
            if o.op.name == "lookup":
                table, index = o.op.args
                assert isinstance(table, T.Var)
                path = self.known.weights[table]
                self._note(table, path)
                key: object = ("table", path, index)
                if key not in inputs:
                    indices.append(index)
                    inputs[key] = B.GatheredRow(
                        T.Var("row", o.out.type), path, _rows(table), indices.index(index)
                    )
                rename[o.out] = inputs[key].var
                continue
            args: list[T.Atom] = []
            for a in o.op.args:
                if isinstance(a, T.Var) and a not in defined:
                    a = self._input(a, inputs, operands, unpacked)
                args.append(rename.get(a, a) if isinstance(a, T.Var) else a)
            new.append(B.BlockOp(o.out, T.Op(o.op.name, tuple(args), o.op.attrs), o.span))
        outs = tuple(rename.get(v, v) for v in outputs)
        return B.Block(_name(ops), tuple(inputs.values()), tuple(new), outs), operands, indices

    def _input(
        self,
        var: T.Var,
        inputs: dict[object, B.BlockInput],
        operands: list[T.Atom],
        unpacked: frozenset[str],
    ) -> T.Var:
        path = self.known.weights.get(var)
        by_handle = path is None or not self.known.how.share or path in unpacked
        key: object = ("weight", path) if path is not None else ("handle", var)
        if key not in inputs:
            if by_handle:
                inputs[key] = B.Gathered(T.Var(var.name, var.type))
                operands.append(var if path is None else self._weight_reference(var, path))
            else:
                assert path is not None
                self._note(var, path)
                inputs[key] = B.Shared(T.Var(var.name, var.type), path)
        return inputs[key].var


def _rows(table: T.Var) -> int:
    assert isinstance(table.type, TensorType)
    return table.type.dims[0].known or 0


def _name(ops: list[B.BlockOp]) -> str:
    """A readable C identifier: the first three kinds of operations in the block."""
    kinds = list(dict.fromkeys(o.op.name for o in ops if o.op.name not in ("slice", "reshape")))
    return "_".join(kinds[:3]) or "copy"
