"""A compiled cell of a recursion: the static block that computes a state, and the sources of its
operands."""

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

# A cell is always a single block; no part of it may run ahead of the recursion.
CELL = Options(hoisting=False, program_phases=False)


class NotExpressible(Exception):
    """The cell is not a straight line of tensor operations."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A compiled cell. `function` is the cell in the batched IR: straight-line code with one run of
    `block`, or with none if its results are rows of weights. `operands[j]` is the number of the
    tensor parameter that the block's gathered operand j reads, `indices` are the ints that select
    its gathered rows; `results` are the cell's results: outputs of the run, or handles to weights.
    """

    function: B.Function
    block: B.Block | None
    operands: tuple[int, ...]
    indices: tuple[T.Atom, ...]
    results: tuple[T.Var, ...]
    weights: Mapping[str, np.ndarray]

    def output(self, result: int) -> int:
        """The number of the block's output that is the given result."""
        assert self.block is not None
        run = next(s for s in self.function.body.stmts if isinstance(s, B.Run))
        return run.outs.index(self.results[result])


def compile_cell(model: Any, params: Any) -> Cell:
    """Compile a cell; NotExpressible if it branches, loops or takes more than one block."""
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
    """The kernels of a block, as our own compiler generates them."""
    return lower_block(block, kernel_fusion=True, horizontal_fusion=True)
