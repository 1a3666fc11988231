"""The batched IR of all workloads keeps its invariants after every pass; broken ones are caught."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import acrobat as ab
import workloads
from acrobat.driver.run import Compilation
from acrobat.errors import CompilerBug
from acrobat.ir import batched as B
from acrobat.ir import typed as T
from acrobat.ir.batched_verify import verify_batched
from acrobat.ir.batched_walk import statements
from acrobat.ir.printer import print_batched
from acrobat.pipeline import run_pipeline
from workloads.data.source import TreeSource


def compiled(name: str, options: ab.Options) -> Compilation:
    workload: Any = workloads.get(name)
    params = workload.make_params("tiny", 0, TreeSource(None))
    return run_pipeline(workload.model, params, options)


@pytest.mark.parametrize("options", [ab.Options(), ab.Options.all_off()], ids=["full", "off"])
@pytest.mark.parametrize("name", workloads.NAMES)
def test_every_pass_keeps_the_invariants(name: str, options: ab.Options) -> None:
    made = [s.product for s in compiled(name, options).steps]
    batched = [m for m in made if isinstance(m, B.Module)]
    assert len(batched) > 3
    for module in batched:
        verify_batched(module)
        assert print_batched(module).count("\n") > 5


def test_broken_modules_are_caught() -> None:
    module = compiled("stackrnn", ab.Options()).module
    entry = module.functions[module.entry]

    def broken(*stmts: B.Stmt) -> B.Module:
        body = replace(entry.body, stmts=(*stmts, *entry.body.stmts))
        return replace(module, functions={entry.name: replace(entry, body=body)})

    unknown = T.Var("x", entry.params[0].type)
    with pytest.raises(CompilerBug, match="is used where it is not defined"):
        verify_batched(broken(B.Let((T.Var("n", unknown.type),), T.ListOp("len", (unknown,)))))
    with pytest.raises(CompilerBug, match="no such block: 99"):
        verify_batched(broken(B.Run((), 99, (), ())))
    phase = B.Let((), T.NextPhase())
    inside = B.If((), T.Const(True, entry.results[1]), *(B.Region((phase,), T.Yield(())),) * 2)
    with pytest.raises(CompilerBug, match="a phase begins inside of something"):
        verify_batched(broken(inside))
    first, *rest = module.blocks
    blocks = (replace(first, outputs=(T.Var("y", first.outputs[0].type),)), *rest)
    with pytest.raises(CompilerBug, match="the output y"):
        verify_batched(replace(module, blocks=blocks))


def test_a_block_that_runs_ahead_only_here_and_there_is_caught() -> None:
    module = compiled("treelstm", ab.Options()).module
    (encode,) = module.functions.values()
    (run,) = (s for s in statements(encode.body) if isinstance(s, B.Run) and s.hoisted)
    late = replace(encode.body, stmts=(replace(run, hoisted=False), *encode.body.stmts))
    with pytest.raises(CompilerBug, match="runs ahead in one place and not in another"):
        verify_batched(replace(module, functions={encode.name: replace(encode, body=late)}))
