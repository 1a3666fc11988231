"""The loss of the actions that the parser has to choose; the correct ones are given."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import cross_entropy, embedding, linear

TURNED = ("w_stack", "w_buffer", "w_phrase", "w_action")


class LossNet:
    """Sentence by sentence; the stack is a Python list, and actions are scored together."""

    def __init__(self, p: Any) -> None:
        self.p = p

    def __call__(self, given: Any) -> torch.Tensor:
        p, n = self.p, len(given.words)
        words = embedding(torch.tensor(given.words), p.emb, sparse=True).unbind()
        ahead = [p.empty_buffer]
        for x in reversed(words):
            ahead.append(torch.tanh(linear(torch.cat((x, ahead[-1])), p.w_buffer, p.b_buffer)))
        stack: list[tuple[torch.Tensor, torch.Tensor]] = []
        chosen: list[torch.Tensor] = []
        actions: list[int] = []
        at = 0
        for action in given.actions:
            if len(stack) > 1 and at < n:
                chosen.append(torch.cat((stack[-1][1], ahead[n - at])))
                actions.append(action)
            if action == 0:
                phrase = words[at]
                at += 1
            else:
                (left, _), (right, _) = stack.pop(-2), stack.pop()
                phrase = torch.tanh(linear(torch.cat((left, right)), p.w_phrase, p.b_phrase))
            below = stack[-1][1] if stack else p.empty_stack
            read = torch.cat((below, phrase))
            stack.append((phrase, torch.tanh(linear(read, p.w_stack, p.b_stack))))
        if not chosen:
            return phrase.new_zeros(())
        logits = linear(torch.stack(chosen), p.w_action, p.b_action)
        return cross_entropy(logits, torch.tensor(actions), reduction="sum")
