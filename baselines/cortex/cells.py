"""A cell of a recursion, compiled: the static block that computes a state, and where its operands
come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from acrobat.ir import batched as B
from acrobat.ir import typed as T
from acrobat.kernels.lowering.block import lower_block
from acrobat.kernels.specification.spec import BlockPlan
from acrobat.options import Options
from acrobat.pipeline import run_pipeline

# A cell is one block whatever it holds; nothing of it can run ahead of the recursion.
CELL = Options(hoisting=False, program_phases=False)


class NotExpressible(Exception):
    """The cell is no straight line of tensor operations."""


@dataclass(frozen=True, slots=True)
class Cell:
    """`function` is the cell in the batched IR: straight-line, with one run of `block` or, if its
    results are rows of weights, none. `operands[j]` is the number of the tensor parameter behind
    the block's gathered operand j, `indices` the numbers behind its gathered rows; `results` the
    cell's results: outputs of the run, or handles into weights."""

    function: B.Function
    block: B.Block | None
    operands: tuple[int, ...]
    indices: tuple[T.Atom, ...]
    results: tuple[T.Var, ...]
    weights: Mapping[str, np.ndarray]

    def output(self, result: int) -> int:
        """Which of the block's outputs a result is."""
        assert self.block is not None
        run = next(s for s in self.function.body.stmts if isinstance(s, B.Run))
        return run.outs.index(self.results[result])


def compile_cell(model: Any, params: Any) -> Cell:
    """NotExpressible if the cell branches, loops or is more than one block."""
    done = run_pipeline(model, params, CELL)
    function = done.module.functions[done.module.entry]
    runs = [s for s in function.body.stmts if isinstance(s, B.Run)]
    others = [s for s in function.body.stmts if not isinstance(s, (B.Run, B.Let))]
    if others or len(runs) > 1 or len(done.module.functions) > 1:
        raise NotExpressible(f"the cell {function.name} is not one static block")
    end = function.body.end
    assert isinstance(end, T.Return)
    results = tuple(v for v in end.values if isinstance(v, T.Var))
    if not runs:
        return Cell(function, None, (), (), results, done.weights)
    (run,) = runs
    tensors = [v for v in function.params if v in run.operands]
    if [v for v in run.operands if v not in tensors] or set(results) - set(run.outs):
        raise NotExpressible(f"the cell {function.name} reads or returns rows of weights")
    parameters = [v for v in function.params if type(v.type).__name__ == "TensorType"]
    operands = tuple(parameters.index(v) for v in run.operands if isinstance(v, T.Var))
    block = done.module.blocks[run.block]
    return Cell(function, block, operands, run.indices, results, done.weights)


def plan_of(block: B.Block) -> BlockPlan:
    """The kernels of a block, by the generator that serves our own compiler."""
    return lower_block(block, kernel_fusion=True, horizontal_fusion=True)
