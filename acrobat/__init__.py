"""ACRoBat, reproduced: auto-batching of dynamic deep learning at compile time.

    import acrobat as ab
    from acrobat import Float32, Tensor, ops

Write a model for one instance, in plain Python, and compile it into a function over mini-batches:
`@ab.data`, `@ab.params`, `@ab.model`, `ab.parallel`, `ab.compile`, `ab.Options`. Importing this
package imports neither TVM nor a compiler; `ab.compile` does when it needs them.
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
from .lang.tensor import Float32, Tensor
from .options import Options

if TYPE_CHECKING:
    from .compiler import CompiledModel, compile
    from .runtime.device_array import DeviceArray

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
    "InstanceError",
    "ModelError",
    "NotFiniteError",
    "OptionError",
    "Options",
    "ParamsError",
    "RecursionLimitError",
    "Tensor",
    "ToolchainError",
    "compile",
    "data",
    "model",
    "ops",
    "parallel",
    "params",
    "phase",
]

_LAZY = {
    "compile": "acrobat.compiler",
    "CompiledModel": "acrobat.compiler",
    "DeviceArray": "acrobat.runtime.device_array",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'acrobat' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_LAZY[name]), name)
