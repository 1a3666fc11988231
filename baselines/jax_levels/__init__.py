"""Batching by hand in JAX, as an expert writes it: the whole mini-batch level by level, with a
compiled function per level.

numpy arranges the mini-batch (levels, orders, positions), as in `torch_batched`; a level, a
sentence, or several steps of all sequences are a function compiled by `jax.jit` for bucketed sizes,
so that other mini-batches reuse the compiled functions. States lie in tables, which are donated to
each call (`donate_argnums`) and updated in place. Padding rows are overwritten by the next level.
"""

from __future__ import annotations

from typing import ClassVar

from ..jax_shared.environment import JAX
from ..jax_shared.system import JaxSystem
from ..shared.support import implemented
from ..system_record import Build, Look, SystemRecord

WORKLOADS = implemented(__name__)


class System(JaxSystem):
    """Every workload, batched by hand in levels."""

    name: ClassVar[str] = "jax_levels"
    workloads: ClassVar[tuple[str, ...]] = WORKLOADS


RECORD = SystemRecord(
    name="jax_levels",
    implementation=System,
    order=61,
    variants=("full",),
    label="JAX, levels by an expert",
    title="JAX levels",
    prose="JAX (levels)",
    look=Look("#E69F00", marker="h"),
    family="JAX",
    built_on=("jax_shared",),
    build=Build("baselines.jax_shared.environment", variants="", devices=("cpu",)),
    environment=JAX,
)
