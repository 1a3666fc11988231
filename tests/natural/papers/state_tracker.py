"""Dialogue state tracking (after GLAD, Zhong et al. 2018): slots filled turn by turn, by attention over the user's words."""

from __future__ import annotations

from typing import Optional

import acrobat as ab
from acrobat import Float32, Tensor, ops

SLOTS = {
    "food": ["none", "thai", "french"],
    "area": ["none", "north", "south"],
    "price": ["none", "cheap"],
}


@ab.data
class Turn:
    user: list[int]
    system: Optional[list[int]] = None


@ab.params
class Tracker:
    emb: Float32[Tensor, "V H"]
    slots: Float32[Tensor, "3 H"]
    values: Float32[Tensor, "10 H"]
    w: Float32[Tensor, "2H H"]
    b: Float32[Tensor, "H"]
    threshold: float = 0.1


@ab.model
def track(p: Tracker, dialogue: list[Turn]) -> tuple[dict[str, str], dict[str, list[int]]]:
    state = {slot: "none" for slot in SLOTS}
    history: dict[str, list[int]] = {}
    context = p.b
    for t, turn in enumerate(dialogue):
        words = list(turn.user)
        if turn.system:
            words.extend(turn.system)
        if not words:
            continue
        x = ops.stack([p.emb[w] for w in words])
        first = 0
        for s, (slot, values) in enumerate(SLOTS.items()):
            q = p.slots[s] + context
            summary = ops.softmax(x @ q) @ x
            h = ops.tanh(ops.concat(summary, context) @ p.w + p.b)
            scores = [float(h @ p.values[first + k]) for k in range(len(values))]
            best = max(range(len(values)), key=lambda k: scores[k])
            if scores[best] > p.threshold and values[best] != state[slot]:
                state[slot] = values[best]
                history.setdefault(slot, []).append(t)
            first += len(values)
        context = ops.tanh(context + ops.mean(x, axis=0))
    return state, history
