"""A mini-batch as one function of torch's autograd, from the weights to the tensors of the
results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch.autograd.function import once_differentiable

from ..lang.sparse_rows import SparseRows
from ..training.cotangents import tensors_of
from ..training.differentiable import Forward


class Recorded:
    """A forward run, kept for the backward pass, and the paths of the weights, in the order in
    which their parameters are passed to `MiniBatch.apply`."""

    def __init__(self, run: Forward, paths: Sequence[str], sparse: bool, dtype: Any) -> None:
        self.run: Forward | None = run
        self.paths, self.sparse, self.dtype = tuple(paths), sparse, dtype
        self.tensors = [list(tensors_of(result)) for result in run.results]

    def backward(self, cotangents: Sequence[torch.Tensor | None]) -> list[torch.Tensor]:
        """Return the gradients of the weights, given those of the results' tensors in order."""
        run, self.run = self.run, None
        if run is None:
            raise RuntimeError(
                "the record of this mini-batch is used up: its results have been differentiated "
                "once; add the losses up before backward(), or call the module again"
            )
        given = iter(None if c is None else c.numpy() for c in cotangents)
        gradients = run.pull_back([[next(given) for _ in found] for found in self.tensors])
        return [self._tensor(gradients[path]) for path in self.paths]

    def _tensor(self, gradient: np.ndarray | SparseRows) -> torch.Tensor:
        if isinstance(gradient, SparseRows) and self.sparse:
            return torch.sparse_coo_tensor(
                torch.from_numpy(gradient.rows)[None],
                torch.from_numpy(gradient.values),
                gradient.shape,
                is_coalesced=True,
                check_invariants=False,  # rows ascend
            )
        dense = gradient.dense() if isinstance(gradient, SparseRows) else gradient
        return torch.from_numpy(dense if dense.flags.writeable else dense.copy())


class MiniBatch(torch.autograd.Function):
    """`apply(recorded, *parameters)` returns the tensors of all results, differentiable by
    torch."""

    @staticmethod
    def forward(ctx: Any, recorded: Recorded, *parameters: torch.Tensor) -> Any:
        """Return copies of the tensors."""
        ctx.recorded = recorded
        # Lets torch report a parameter that was changed in place before the backward pass.
        ctx.save_for_backward(*parameters)
        ctx.set_materialize_grads(False)
        return tuple(
            torch.from_numpy(np.array(tensor, recorded.dtype))
            for found in recorded.tensors
            for tensor in found
        )

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *cotangents: torch.Tensor | None) -> Any:
        """Return the gradients of the parameters."""
        _ = ctx.saved_tensors
        return None, *ctx.recorded.backward(cotangents)
