"""A Tiny Recursive Model, the whole mini-batch step by step: puzzles that halt are removed, and the
remaining ones are compacted.

`Maximum` does the same as published code: every puzzle runs for the largest number of steps, and
keeps the answer of the step where it would have halted. Nothing has to come to the host before the
end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch.nn.functional import rms_norm, scaled_dot_product_attention, silu

from workloads.other.trm import LATENT

from .weights import Weights

_HEAD, _EPSILON = 64, 1e-5


def flatten(instances: Sequence[Any]) -> tuple[torch.Tensor, np.ndarray]:
    """Return cells [batch, S, H] and thresholds [batch, steps]."""
    cells = torch.from_numpy(np.stack([p.cells for p in instances]))
    return cells, np.array([p.thresholds for p in instances])


class _Layer:
    """The products of a layer."""

    def __init__(self, name: str, p: Any, weights: Weights) -> None:
        self.weights = weights
        self.qkv = weights.linear(f"{name}_qkv", p.w_qkv)
        self.mix = weights.linear(f"{name}_mix", p.w_o)
        self.up = weights.linear(f"{name}_up", p.w_up)
        self.down = weights.linear(f"{name}_down", p.w_down)
        self.norms = weights.place.weight(p.g_1), weights.place.weight(p.g_2)

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        """Apply the layer, [n, S, H] to [n, S, H]."""
        n, s, h = x.shape
        flat = x.reshape(n * s, h)
        q, k, v = self.qkv(flat).view(n, s, 3, h // _HEAD, _HEAD).permute(2, 0, 3, 1, 4)
        mixed = self.weights.product(scaled_dot_product_attention, q, k, v)
        mixed = self.mix(mixed.transpose(1, 2).reshape(n * s, h))
        flat = rms_norm(mixed.add_(flat), (h,), self.norms[0], _EPSILON)
        gate, up = self.up(flat).chunk(2, 1)
        down = self.down(silu(gate).mul_(up))
        return rms_norm(down.add_(flat), (h,), self.norms[1], _EPSILON).view(n, s, h)


class Batched:
    """The network of two layers, and the heads."""

    def __init__(
        self, params: Any, form: tuple[torch.Tensor, np.ndarray], weights: Weights
    ) -> None:
        cells, self.thresholds = form
        self.weights = weights
        self.cells = cells.to(weights.place.device)
        self.one = _Layer("one", params.one, weights)
        self.two = _Layer("two", params.two, weights)
        self.halt = weights.linear("halt", params.w_halt, None, "sigmoid")
        self.output = weights.linear("output", params.w_out)
        place = weights.place.weight
        self.positions, self.answer = place(params.positions), place(params.answer)
        self.latent = place(params.latent)
        self.limits = place(self.thresholds.astype(np.float32))

    def assemble(self) -> None:
        """Do nothing: the input is rectangular."""

    def compute(self) -> None:
        """Compute distributions [batch, S, C], and in `self.steps` the steps run per puzzle."""
        place = self.weights.place
        x = self.cells + self.positions
        y, z = self.answer.expand_as(x), self.latent.expand_as(x)
        batch, most = self.thresholds.shape
        left, self.steps = np.arange(batch), np.zeros(batch, np.int64)
        answers = torch.empty_like(x)
        for n in range(most):
            y, z = self.step(x, y, z)
            self.steps[left] += 1
            done = place.get(self.halt(y[:, 0].contiguous()))[:, 0] > self.thresholds[left, n]
            if n + 1 == most:
                done[:] = True
            if done.any():
                gone, stay = np.flatnonzero(done), np.flatnonzero(~done)
                to, leave, keep = place.put(left[gone], gone, stay)
                answers.index_copy_(0, to, y.index_select(0, leave))
                left = left[stay]
                if len(left) == 0:
                    break
                x, y, z = (t.index_select(0, keep) for t in (x, y, z))
        self.finish(answers, self.steps)

    def step(
        self, x: torch.Tensor, y: torch.Tensor, z: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the next answer and latent state, each [n, S, H]."""
        for _ in range(LATENT):
            z = self.two(self.one(x + y + z))
        return self.two(self.one(y + z)), z

    def finish(self, answers: torch.Tensor, steps: np.ndarray) -> None:
        """Compute the distributions of answers [batch, S, H] after `steps` steps each."""
        n, s, h = answers.shape
        self.symbols = torch.softmax(self.output(answers.view(n * s, h)), 1).view(n, s, -1)
        calls = 2 * (LATENT + 1)
        self.n_nodes = calls * int(steps.sum()) + n
        self.n_batches = calls * int(steps.max(initial=0)) + 1

    def results(self) -> list[tuple[np.ndarray, int]]:
        """Return (distributions, steps) per puzzle."""
        return list(zip(self.weights.place.get(self.symbols), self.steps.tolist(), strict=True))


class Maximum(Batched):
    """The variant that runs every puzzle for the largest number of steps."""

    def compute(self) -> None:
        """Compute the same as `Batched`, with the work of the largest number of steps for all."""
        x = self.cells + self.positions
        y, z = self.answer.expand_as(x), self.latent.expand_as(x)
        batch, most = self.thresholds.shape
        answers, runs = x, torch.ones(batch, dtype=torch.bool, device=x.device)
        steps = torch.zeros_like(runs, dtype=torch.int64)
        for n in range(most):
            y, z = self.step(x, y, z)
            steps += runs
            answers = torch.where(runs[:, None, None], y, answers)
            runs = runs & (self.halt(y[:, 0].contiguous())[:, 0] <= self.limits[:, n])
        self.steps = self.weights.place.get(steps)
        self.finish(answers, np.full(batch, most))
