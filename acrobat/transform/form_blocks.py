"""Grain-size coarsening: from the typed to the batched IR.

A maximal run of tensor operations that no call or branch interrupts becomes one static block: one
node of the dataflow graph, scheduled as a unit. Reading fields, arithmetic on numbers and the like
do not interrupt a run, unless they need its result. With coarsening off, every operation is a
block of its own. A slice of a value from elsewhere is never work: it is a handle to the same row.

Blocks that are the same but for the names of their variables are one block, wherever they occur:
their nodes batch with each other.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from ..ir import batched as B
from ..ir import typed as T
from ..ir.rewrite import rhs_atoms, uses
from ..ir.span import Span
from ..ir.types import TensorType


def form_blocks(module: T.Module, coarsen: bool) -> B.Module:
    """The batched module. `module` is flattened and specialised; its dimensions are numbers."""
    table = _BlockTable()
    functions = {
        name: _Function(f, table, coarsen).function() for name, f in module.functions.items()
    }
    entry = functions[module.entry]
    return B.Module(
        datas=module.datas,
        functions=functions,
        entry=module.entry,
        instance=tuple(v.type for v in entry.params),
        result=module.result,
        blocks=tuple(table.blocks),
        weights=dict(sorted(table.weights.items())),
    )


class _BlockTable:
    """The blocks of a module, each once; and the types of the weights they read."""

    def __init__(self) -> None:
        self.blocks: list[B.Block] = []
        self.numbers: dict[object, int] = {}
        self.weights: dict[str, TensorType] = {}

    def number(self, block: B.Block) -> int:
        key = _shape_of(block)
        if key not in self.numbers:
            taken = {b.name for b in self.blocks}
            name, n = block.name, 1
            while name in taken:
                n += 1
                name = f"{block.name}_{n}"
            self.numbers[key] = len(self.blocks)
            self.blocks.append(replace(block, name=name))
        return self.numbers[key]


def _shape_of(block: B.Block) -> object:
    """The block with variables numbered by first occurrence: equal iff the blocks are."""
    order: dict[T.Var, int] = {}

    def atom(a: T.Atom) -> object:
        return order.setdefault(a, len(order)) if isinstance(a, T.Var) else a

    inputs = tuple(
        (type(i).__name__, atom(i.var), str(i.var.type), getattr(i, "param", ""))
        for i in block.inputs
    )
    ops = tuple(
        (o.op.name, tuple(map(atom, o.op.args)), o.op.attrs, atom(o.out)) for o in block.ops
    )
    return inputs, ops, tuple(map(atom, block.outputs))


class _Function:
    def __init__(self, source: T.Function, table: _BlockTable, coarsen: bool) -> None:
        self.source, self.table, self.coarsen = source, table, coarsen
        self.uses = Counter(uses(source.body))
        self.weights: dict[T.Var, str] = {}

    def function(self) -> B.Function:
        f = self.source
        return B.Function(f.name, f.params, f.results, self.region(f.body), f.span)

    def region(self, region: T.Region) -> B.Region:
        run = _Run(self)
        for stmt in region.stmts:
            match stmt:
                case T.Let((out,), T.Weight(path), _):
                    self.weights[out] = path
                case T.Let((out,), T.Op() as op, span):
                    run.add(out, op, span)
                case T.Let(outs, rhs, span):
                    run.other(outs, rhs, span)
                case T.If(outs, cond, then, orelse, span):
                    run.flush()
                    branches = self.region(then), self.region(orelse)
                    run.stmts.append(B.If(outs, cond, *branches, span))
                case T.Match(outs, subject, arms, span):
                    run.flush()
                    new = tuple(B.Arm(a.data, a.binds, self.region(a.region)) for a in arms)
                    run.stmts.append(B.Match(outs, subject, new, span))
        run.flush()
        end = region.end
        if not isinstance(end, T.Unreachable):
            end = replace(end, values=run.handles(end.values))
        return B.Region(tuple(run.stmts), end)


class _Run:
    """The statements of one region, and the run of operations that is still open."""

    def __init__(self, function: _Function) -> None:
        self.function = function
        self.stmts: list[B.Stmt] = []
        self.ops: list[B.BlockOp] = []
        self.defined: set[T.Var] = set()
        # Statements that use the open run but that the run does not need: they follow it.
        self.deferred: list[B.Let] = []
        self.deferred_vars: set[T.Var] = set()

    def handles(self, atoms: tuple[T.Atom, ...]) -> tuple[T.Atom, ...]:
        """`atoms` with weights replaced by handles to their rows in the arena."""
        return tuple(self._handle(a) for a in atoms)

    def _handle(self, atom: T.Atom) -> T.Atom:
        if not isinstance(atom, T.Var) or atom not in self.function.weights:
            return atom
        path = self.function.weights[atom]
        assert isinstance(atom.type, TensorType)
        self.function.table.weights[path] = atom.type
        row = T.Var(atom.name, atom.type)
        self.stmts.append(B.Let((row,), B.WeightRow(path)))
        return row

    def add(self, out: T.Var, op: T.Op, span: Span) -> None:
        used = {a for a in op.args if isinstance(a, T.Var)}
        if used & self.deferred_vars:
            self.flush()
        if op.name == "slice" and not used & self.defined:
            (source,) = self.handles(op.args)
            assert isinstance(source, T.Var)
            start = op.attr("start")
            assert isinstance(start, int)
            self.stmts.append(B.Let((out,), B.View(source, start), span))
            return
        self.ops.append(B.BlockOp(out, op, span))
        self.defined.add(out)
        if not self.function.coarsen:
            self.flush()

    def other(self, outs: tuple[T.Var, ...], rhs: T.Rhs, span: Span) -> None:
        """A call, which closes the run; or a pure statement, which waits behind it if it must."""
        used = {a for a in rhs_atoms(rhs) if isinstance(a, T.Var)}
        if isinstance(rhs, (T.Call, T.Parallel)):
            self.flush()
        match rhs:
            case T.Call(name, args):
                new: B.Rhs = T.Call(name, self.handles(args))
            case T.Parallel(calls):
                new = T.Parallel(tuple(T.Call(c.function, self.handles(c.args)) for c in calls))
            case T.Construct(data, args):
                new = T.Construct(data, self.handles(args))
            case T.Scalar() | T.GetField():
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
        """Close the open run: one block, one node."""
        if self.ops:
            self._emit()
        self.stmts.extend(self.deferred)
        self.ops, self.defined, self.deferred, self.deferred_vars = [], set(), [], set()

    def _emit(self) -> None:
        inside = Counter(a for o in self.ops for a in o.op.args if isinstance(a, T.Var))
        outputs = tuple(o.out for o in self.ops if self.function.uses[o.out] > inside[o.out])
        inputs: dict[object, B.BlockInput] = {}
        rename: dict[T.Var, T.Var] = {}
        rows: list[T.Atom] = []
        indices: list[T.Atom] = []
        ops: list[B.BlockOp] = []
        for o in self.ops:
            table = self._table(o)
            if table is not None:
                path, index = table
                key: object = ("table", path, index)
                if key not in inputs:
                    inputs[key] = B.TableRow(T.Var("row", o.out.type), path)
                    indices.append(index)
                rename[o.out] = inputs[key].var
                continue
            args: list[T.Atom] = []
            for a in o.op.args:
                if isinstance(a, T.Var) and a not in self.defined:
                    a = self._input(a, inputs, rows)
                args.append(rename.get(a, a) if isinstance(a, T.Var) else a)
            ops.append(B.BlockOp(o.out, T.Op(o.op.name, tuple(args), o.op.attrs), o.span))
        outs = tuple(rename.get(v, v) for v in outputs)
        block = B.Block(_name(self.ops), tuple(inputs.values()), tuple(ops), outs)
        number = self.function.table.number(block)
        self.stmts.append(B.Run(outputs, number, tuple(rows), tuple(indices), 0, self.ops[0].span))

    def _table(self, o: B.BlockOp) -> tuple[str, T.Atom] | None:
        """Weight and row of a lookup in a weight that is known."""
        if o.op.name != "lookup":
            return None
        table, index = o.op.args
        if not isinstance(table, T.Var) or table not in self.function.weights:
            return None
        path = self.function.weights[table]
        assert isinstance(table.type, TensorType)
        self.function.table.weights[path] = table.type
        return path, index

    def _input(self, var: T.Var, inputs: dict[object, B.BlockInput], rows: list[T.Atom]) -> T.Var:
        path = self.function.weights.get(var)
        key: object = ("weight", path) if path is not None else ("row", var)
        if key not in inputs:
            if path is None:
                inputs[key] = B.Row(T.Var(var.name, var.type))
                rows.append(var)
            else:
                assert isinstance(var.type, TensorType)
                self.function.table.weights[path] = var.type
                inputs[key] = B.Shared(T.Var(var.name, var.type), path)
        return inputs[key].var


def _name(ops: list[B.BlockOp]) -> str:
    """A readable C identifier: what the block does most and last."""
    kinds = list(dict.fromkeys(o.op.name for o in ops if o.op.name != "slice"))
    return "_".join(kinds[:3]) or "copy"
