"""Grain-size coarsening: from the typed to the batched IR.

A maximal run of tensor operations that no call or branch interrupts becomes one static block: one
node of the dataflow graph, scheduled as a unit. Reading fields, arithmetic on numbers and the like
do not interrupt a run, unless they need its result. With coarsening off, every operation is a
separate block. A slice of a value from outside the run costs nothing: it is a handle to a part of
that value.

With hoisting, the part of a run that depends on the instance and the weights alone, and not on the
enclosing recursion or loop, becomes a separate node that runs early (`analysis.hoistable`), if it
contains a contraction: the input projections of many steps of an RNN are one batch.

Blocks that differ only in the names of their variables are one block, wherever they occur: their
nodes batch with each other.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from ..analysis.call_graph import repeated
from ..analysis.hoistable import GivenArguments
from ..ir import batched as B
from ..ir import typed as T
from ..ir.rewrite import uses
from .helpers.block_table import BlockTable
from .helpers.open_run import Grouping, Known, OpenRun


def form_blocks(module: T.Module, how: Grouping) -> B.Module:
    """The batched module. `module` is flattened and specialised; its dimensions are numbers."""
    arguments, many = GivenArguments(module), repeated(module)

    def form(f: T.Function, table: BlockTable) -> tuple[B.Function, Known]:
        known = Known(how, table, Counter(uses(f.body)), arguments.of(f))
        body = _region(f.body, known, f.name in many)
        return B.Function(f.name, f.params, f.results, body, f.span), known

    while True:
        table = BlockTable()
        formed = [form(f, table) for f in module.functions.values()]
        refuted = {n for f, known in formed for n in arguments.restrict(f, known.given)}
        if not refuted:
            break
        # Form these functions again only to learn what else is refuted; then start over.
        while refuted:
            again = module.functions[refuted.pop()]
            function, known = form(again, BlockTable())
            refuted |= arguments.restrict(function, known.given)
    entry = module.functions[module.entry]
    return B.Module(
        datas=module.datas,
        functions={f.name: f for f, _ in formed},
        entry=module.entry,
        instance=tuple(v.type for v in entry.params),
        result=module.result,
        blocks=tuple(table.blocks),
        weights=dict(sorted(table.weights.items())),
        arguments=module.arguments or tuple(v.type for v in entry.params),
        texts=module.texts,
        lookups=module.lookups,
        with_matrices=module.with_matrices,
    )


def _region(region: T.Region, known: Known, repeated: bool) -> B.Region:
    """`repeated`: the region may run many times per instance."""
    run = OpenRun(known, repeated)
    for stmt in region.stmts:
        match stmt:
            case T.Let((out,), T.Weight(path), _):
                known.weights[out] = path
            case T.Let((out,), T.Op() as op, span):
                run.add(out, op, span)
            case T.Let(outs, rhs, span):
                run.other(outs, rhs, span)
            case _:
                run.flush()
                run.stmts.append(_control(stmt, run))
    run.flush()
    end = region.end
    if not isinstance(end, T.Unreachable):
        end = replace(end, values=run.handles(end.values))
    return B.Region(tuple(run.stmts), end)


def _control(stmt: T.Stmt, run: OpenRun) -> B.Stmt:
    """Convert a statement with inner regions, which has closed the run before it."""
    known, again = run.known, run.repeated
    match stmt:
        case T.If(outs, cond, then, orelse, span):
            return B.If(
                outs, cond, _region(then, known, again), _region(orelse, known, again), span
            )
        case T.Match(outs, subject, arms, span):
            new: list[B.Arm] = []
            for a in arms:
                known.given.bind(a, subject)
                new.append(B.Arm(a.data, a.binds, _region(a.region, known, again)))
            return B.Match(outs, subject, tuple(new), span)
        case T.For(outs, index, start, stop, step, carried, inits, body, span):
            inits, inner = run.handles(inits), _region(body, known, True)
            return B.For(outs, index, start, stop, step, carried, inits, inner, span)
        case T.While(outs, cond, carried, inits, body, span):
            inits, test = run.handles(inits), _region(cond, known, True)
            return B.While(outs, test, carried, inits, _region(body, known, True), span)
        case T.Map(outs, index, stop, body, filtered, span):
            inner = _region(body, known, True)
            if isinstance(inner.end, T.Yield):
                kept = inner.end.values[1:] if filtered else inner.end.values
                for out, value in zip(outs, kept, strict=True):
                    known.given.follow(out, value)
            return B.Map(outs, index, stop, inner, filtered, span)
        case T.Let():
            raise AssertionError("a let has no inner region")
