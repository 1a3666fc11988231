"""StackRNN sentence by sentence; the stack is a Python list."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import linear

from .weights import as_torch


class Net:
    """A parser that takes its decisions by `.argmax().item()`."""

    def __init__(self, params: Any, device: str) -> None:
        self.p = as_torch(params, ("w_stack", "w_buffer", "w_phrase", "w_action"), device)

    def __call__(self, words: list[int]) -> tuple[torch.Tensor, int]:
        p = self.p
        ahead = [p.empty_buffer]
        for word in reversed(words):
            read = torch.cat((p.emb[word], ahead[-1]))
            ahead.append(torch.tanh(linear(read, p.w_buffer, p.b_buffer)))
        stack: list[tuple[torch.Tensor, torch.Tensor]] = []
        at = deepest = 0
        while at < len(words) or len(stack) > 1:
            action = 0
            if at == len(words):
                action = 1
            elif len(stack) > 1:
                both = torch.cat((stack[-1][1], ahead[len(words) - at]))
                action = int(linear(both, p.w_action, p.b_action).argmax().item())
            if action == 0:
                phrase = p.emb[words[at]]
                at += 1
            else:
                (left, _), (right, _) = stack.pop(-2), stack.pop()
                phrase = torch.tanh(linear(torch.cat((left, right)), p.w_phrase, p.b_phrase))
            below = stack[-1][1] if stack else p.empty_stack
            read = torch.cat((below, phrase))
            stack.append((phrase, torch.tanh(linear(read, p.w_stack, p.b_stack))))
            deepest = max(deepest, len(stack))
        return stack[-1][0], deepest
