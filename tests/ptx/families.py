"""The kernels that the command runs, and the run-time's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import acrobat
import workloads
from acrobat.kernels.specification.spec import KernelSpec
from acrobat.pipeline import run_pipeline
from tests.kernels.kernel_specs import (
    cell,
    experts,
    heads,
    matrix_rows,
    own_matrix,
    projections,
    unlike_gates,
    wide,
)
from tests.kernels.row_specs import layer_norm, pointwise, softmax, transpose
from workloads.data.source import TreeSource

FAMILIES: dict[str, KernelSpec] = {
    "tree cell": cell(20, 33),
    "unlike gates": unlike_gates(),
    "matrix rows": matrix_rows(20),
    "own matrix": own_matrix(20, 33, 70),
    "own matrix, one row": own_matrix(1, 5, 7),
    "heads": heads(18, 3, 4),
    "projections": projections(),
    "experts": experts(1, 103, 20, 2),
    "wide": wide(20, 33, 3),
    "softmax": softmax(2, 17),
    "layer norm": layer_norm(5, 40),
    "transpose": transpose(40, 70),
    "pointwise": pointwise(50),
}


def kernels_of(name: str, size: str) -> list[KernelSpec]:
    """The kernels of a workload."""
    workload = workloads.get(name)
    model: Any = workload.model
    params = workload.make_params(size, 0, TreeSource(None))
    plans = run_pipeline(model, params, acrobat.Options()).plans
    return [k for p in plans for k in p.kernels]


def copy_kernel() -> str:
    """The PTX of the kernel that copies runs of floats."""
    header = Path(acrobat.__file__).parent / "runtime/include/acrobat/cuda/copy_runs.h"
    return header.read_text().split('R"(')[1].split(')"')[0]
