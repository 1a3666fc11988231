"""Interaction network (Battaglia et al. 2016): objects and relations, unrolled for some steps of time."""

from __future__ import annotations

from collections import defaultdict

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.data
class Body:
    position: tuple[float, float]
    velocity: tuple[float, float] = (0.0, 0.0)
    mass: float = 1.0


@ab.data
class Scene:
    bodies: list[Body]
    springs: list[tuple[int, int, float]]
    steps: int


@ab.params
class MLP:
    w1: Float32[Tensor, "I H"]
    b1: Float32[Tensor, "H"]
    w2: Float32[Tensor, "H O"]

    def __call__(self, x):
        return ops.relu(ops.linear(x, self.w1, self.b1)) @ self.w2


@ab.params
class InteractionNetwork:
    relation: MLP
    object: MLP


@ab.model
def simulate(p: InteractionNetwork, scene: Scene) -> list[list[Float32[Tensor, "4"]]]:
    states = [ops.stack([*b.position, *b.velocity]) for b in scene.bodies]
    trajectory = [states]
    for _ in range(scene.steps):
        effects = defaultdict(list)
        for a, b, k in scene.springs:
            e = p.relation(ops.concat(states[a], states[b]) * k)
            effects[b].append(e)
            effects[a].append(-e)
        new = []
        for i, (s, body) in enumerate(zip(states, scene.bodies)):
            total = sum(effects[i], ops.zeros(3))
            new.append(s + 0.1 * p.object(ops.concat(s, total)) / body.mass)
        states = new
        trajectory.append(states)
    return trajectory
