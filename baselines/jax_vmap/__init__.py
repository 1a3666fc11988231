"""The model as a user of JAX writes it: for one instance, batched by `jax.vmap` and compiled by
`jax.jit`, as in JAX's documentation.

An instance is a set of padded arrays, its recursion is a `lax.scan` over its nodes or steps,
padding is masked, and where values decide, both branches are computed. Each workload has a module:
`flatten` returns the arrays of each instance, `pad` those of the mini-batch, with bucketed sizes,
`model` computes one instance, and `results` splits the mini-batch.
"""

from __future__ import annotations

from typing import ClassVar

from ..jax_shared.environment import JAX
from ..jax_shared.system import JaxSystem
from ..needs import Needs
from ..shared.support import implemented
from ..system_record import Build, Look, SystemRecord

WORKLOADS = implemented(__name__)


class System(JaxSystem):
    """`jit(vmap(model))`."""

    name: ClassVar[str] = "jax_vmap"
    workloads: ClassVar[tuple[str, ...]] = WORKLOADS


RECORD = SystemRecord(
    name="jax_vmap",
    implementation=System,
    order=60,
    variants=("full",),
    label="JAX, vmap",
    title="JAX vmap",
    prose="JAX (vmap)",
    look=Look("#F0E442", marker="*"),
    family="JAX",
    built_on=("jax_shared",),
    needs=(Needs("jax", "JAX", environment=JAX),),
    build=Build("baselines.jax_shared.environment", variants="", devices=("cpu",)),
    environment=JAX,
)
