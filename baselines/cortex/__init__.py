"""A Cortex-like compiler: recursions whose shape is known before execution, linearised on the host
and run level by level (Fegade et al., "Cortex: A Compiler for Recursive Deep Learning Models",
MLSys 2021).

Its kernels come from the generator that serves `acrobat`, its inputs and results have the same
form; what differs is that there is no dataflow graph. Variants: "full", "unroll" (a barrier after
every other level only), "refactor" (products that depend on one child move to the child) and
"project" (products that depend on an item of a sequence alone come first, for all items).
"""

from ..system_record import Look, SystemRecord
from .system import System

RECORD = SystemRecord(
    name="cortex",
    implementation=System,
    order=20,
    variants=("full", "unroll", "refactor", "project"),
    label="Cortex-like, best schedule",
    title="Cortex-like",
    prose="the Cortex-like compiler",
    look=Look("#CC79A7", marker="D", hatch="//////"),
    family="Cortex",
    variants_are="schedule",
    builds_graphs=True,
    uses_acrobat=True,
    packages={"cpu": ("apache-tvm",), "cuda": ("triton",)},
)
