"""A Cortex-like compiler: recursions whose shape is known before execution, linearised on the host
and run level by level (Fegade et al., "Cortex: A Compiler for Recursive Deep Learning Models",
MLSys 2021).

Its kernels come from the same generator as `acrobat`'s, and its inputs and results have the same
form; the difference is that there is no dataflow graph. Variants: "full", "unroll" (a barrier only
after every second level), "refactor" (products that depend on one child move to the child) and
"project" (products that depend only on an item of a sequence are computed first, for all items).
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
