"""ACRoBat, reproduced: auto-batching of dynamic deep learning at compile time.

    import acrobat as ab
    from acrobat import Float32, Tensor, ops

Write a model for one instance in plain Python and compile it into a function over mini-batches:
`@ab.data`, `@ab.params`, `@ab.model`, `ab.parallel`, `ab.compile`, `ab.Options`. Train it with
`ab.gradients`. Importing this package imports neither TVM nor a compiler; `ab.compile` imports them
when it needs them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import log
from .errors import (
    AcrobatError,
    CacheError,
    CapacityError,
    CompilerBug,
    DeviceError,
    GradientError,
    InstanceError,
    NotFiniteError,
    OptionError,
    ParamsError,
    RecursionLimitError,
    ToolchainError,
)
from .lang import ops
from .lang.data import data
from .lang.diagnostics import ModelError
from .lang.model import model, parallel, phase
from .lang.params import params
from .lang.state_dict import from_state_dict, to_state_dict
from .lang.tensor import Float32, Tensor
from .options import Options

if TYPE_CHECKING:
    from . import torch as torch
    from .compiled_model import CompiledModel
    from .compiler import compile
    from .gradient_step import GradientStep, gradients
    from .lang.sparse_rows import SparseRows
    from .runtime.device_array import DeviceArray
    from .tuning import tune

log.set_up()

__version__ = "0.1.0"

__all__ = [
    "AcrobatError",
    "CacheError",
    "CapacityError",
    "CompiledModel",
    "CompilerBug",
    "DeviceArray",
    "DeviceError",
    "Float32",
    "GradientError",
    "GradientStep",
    "InstanceError",
    "ModelError",
    "NotFiniteError",
    "OptionError",
    "Options",
    "ParamsError",
    "RecursionLimitError",
    "SparseRows",
    "Tensor",
    "ToolchainError",
    "compile",
    "data",
    "from_state_dict",
    "gradients",
    "model",
    "ops",
    "parallel",
    "params",
    "phase",
    "to_state_dict",
    "tune",
]

_LAZY = {
    "compile": "acrobat.compiler",
    "CompiledModel": "acrobat.compiled_model",
    "DeviceArray": "acrobat.runtime.device_array",
    "GradientStep": "acrobat.gradient_step",
    "SparseRows": "acrobat.lang.sparse_rows",
    "gradients": "acrobat.gradient_step",
    "tune": "acrobat.tuning",
}


def __getattr__(name: str) -> Any:
    if name == "torch":  # acrobat.torch, for `ab.torch.Module`: only its users need torch
        import importlib

        return importlib.import_module("acrobat.torch")
    if name not in _LAZY:
        raise AttributeError(f"module 'acrobat' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_LAZY[name]), name)
