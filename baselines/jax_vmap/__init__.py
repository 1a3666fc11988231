"""What a user of JAX writes: the model of one instance, made batched by `jax.vmap` and compiled by
`jax.jit`, as JAX's documentation does it.

An instance is padded arrays, its recursion a `lax.scan` over its nodes or steps, what is padding is
masked, and where values decide both ways are computed. One module per workload: `flatten` gives the
arrays of each instance, `pad` those of the mini-batch in sizes from buckets, `model` computes one
instance, `results` takes the mini-batch apart.
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
