"""SPINN sentence by sentence; the stack is a Python list."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import linear

from .weights import as_torch


class Net:
    """A parser that takes its decisions by `.argmax().item()`."""

    def __init__(self, params: Any, device: str) -> None:
        self.device = device
        self.p = as_torch(params, ("w_word", "w_track", "w_reduce", "w_action"), device)

    def __call__(self, words: list[int]) -> tuple[torch.Tensor, int]:
        p = self.p
        embedded = linear(p.emb[torch.tensor(words, device=self.device)], p.w_word, p.b_word)
        nothing = torch.zeros_like(p.emb[0])
        tracking = torch.zeros_like(p.w_action[0]), torch.zeros_like(p.w_action[0])
        stack: list[tuple[torch.Tensor, torch.Tensor]] = []
        at = deepest = 0
        while at < len(words) or len(stack) > 1:
            word = embedded[at].chunk(2)[0] if at < len(words) else nothing
            first, second = ([h for h, _ in stack[:-3:-1]] + [nothing, nothing])[:2]
            tracking = self.track(torch.cat((word, first, second, tracking[0])), tracking[1])
            action = 0
            if at == len(words):
                action = 1
            elif len(stack) > 1:
                action = int(linear(tracking[0], p.w_action, p.b_action).argmax().item())
            if action == 0:
                h, c = embedded[at].chunk(2)
                stack.append((h, c))
                at += 1
                deepest = max(deepest, len(stack))
            else:
                right, left = stack.pop(), stack.pop()
                stack.append(self.reduce(left, right, tracking[0]))
        return stack[-1][0], deepest

    def track(self, x: torch.Tensor, c: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the tracking LSTM's next (h, c)."""
        i, o, u, f = linear(x, self.p.w_track, self.p.b_track).chunk(4)
        c = torch.sigmoid(i) * torch.tanh(u) + torch.sigmoid(f) * c
        return torch.sigmoid(o) * torch.tanh(c), c

    def reduce(
        self,
        left: tuple[torch.Tensor, torch.Tensor],
        right: tuple[torch.Tensor, torch.Tensor],
        tracking: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (h, c) of the phrase composed of two."""
        x = torch.cat((left[0], right[0], tracking))
        i, o, u, f_l, f_r = linear(x, self.p.w_reduce, self.p.b_reduce).chunk(5)
        c = torch.sigmoid(i) * torch.tanh(u)
        c = c + torch.sigmoid(f_l) * left[1] + torch.sigmoid(f_r) * right[1]
        return torch.sigmoid(o) * torch.tanh(c), c
