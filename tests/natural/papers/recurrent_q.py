"""Deep recurrent Q-learning (Hausknecht, Stone 2015): one episode, epsilon-greedy, n-step targets."""

from __future__ import annotations

from typing import NamedTuple, Optional

import acrobat as ab
from acrobat import Float32, Tensor, ops


class Transition(NamedTuple):
    observation: Float32[Tensor, "O"]
    reward: float
    explore: Optional[int] = None


@ab.data
class Episode:
    steps: list[Transition]
    done: bool


@ab.params
class DRQN:
    w_in: Float32[Tensor, "O H"]
    w_x: Float32[Tensor, "H 4H"]
    w_h: Float32[Tensor, "H 4H"]
    b: Float32[Tensor, "4H"]
    value: Float32[Tensor, "H 1"]
    advantage: Float32[Tensor, "H 3"]
    gamma: float = 0.9


@ab.model
def lstm(p: DRQN, x, state):
    h, c = state
    i, f, o, g = ops.split(x @ p.w_x + h @ p.w_h + p.b, 4)
    c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
    return ops.sigmoid(o) * ops.tanh(c), c


@ab.model
def run(p: DRQN, episode: Episode) -> tuple[list[int], float]:
    state = (ops.zeros(p.value.shape[0]),) * 2
    actions, values = [], []
    for observation, _, explore in episode.steps:
        state = lstm(p, ops.relu(observation @ p.w_in), state)
        h = state[0]
        advantages = h @ p.advantage
        q = h @ p.value + advantages - advantages.mean()
        action = explore if explore is not None else int(q.argmax())
        actions.append(action)
        values.append(q[action])
    target, loss = 0.0 if episode.done else float(values[-1]), 0.0
    for value, step in list(zip(values, episode.steps))[::-1]:
        target = step.reward + p.gamma * target
        loss += (float(value) - target) ** 2
    return actions, loss / max(1, len(actions))
