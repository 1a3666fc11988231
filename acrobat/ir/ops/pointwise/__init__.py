"""The point-wise operations: one record each, in files by what they compute.

A new one is a record in one of these files and a function in `lang.ops`. The record has its meaning
in numpy, the arithmetic of its kernels and its derivative; its tests follow from it.

What is not a single instruction is straight-line arithmetic here. Library functions are of no use
in generated kernels: LLVM turns them into scalar calls even inside a vector loop, and Triton's
`exp` and `log` are single machine instructions whose error grows with the argument. Ours vectorise,
and give the same result in Triton's interpreter and on a GPU.
"""

from __future__ import annotations

from . import (
    activations,
    algebraic,
    choices,
    comparisons,
    constants,
    error_function,
    exponentials,
    powers,
    rectifiers,
    trigonometry,
)

_RECORDS = (
    *algebraic.RECORDS,
    *choices.RECORDS,
    *comparisons.RECORDS,
    *activations.RECORDS,
    *rectifiers.RECORDS,
    *error_function.RECORDS,
    *exponentials.RECORDS,
    *powers.RECORDS,
    *trigonometry.RECORDS,
    *constants.RECORDS,
)

POINTWISE = {op.name: op for op in _RECORDS}
