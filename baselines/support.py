"""What every `supports` says no to, in the same words."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence

from acrobat.errors import DeviceError
from acrobat.runtime.gpu import find_gpu

from .api import Problem, Supported, Unsupported


def check(
    problem: Problem,
    system: str,
    *,
    workloads: Sequence[str],
    variants: Sequence[str] = ("full",),
    devices: Sequence[str] = ("cpu",),
    module: str | None = None,
    package: str | None = None,
) -> Supported | Unsupported:
    """Whether `system` with these abilities can run `problem`.

    `module` is a Python module the system needs, looked up without importing it, and `package`
    the name under which it is installed (default: the same). On "cuda" there must be a GPU.
    """
    if problem.workload not in workloads:
        return Unsupported(
            f"{system} has no model for the workload {problem.workload!r}; "
            f"it has {', '.join(workloads)}"
        )
    if problem.variant not in variants:
        return Unsupported(
            f"{system} has no variant {problem.variant!r}; it has {', '.join(variants)}"
        )
    if problem.device not in devices:
        return Unsupported(f"{system} runs on {', '.join(devices)}, not on {problem.device!r}")
    if module and importlib.util.find_spec(module) is None:
        return Unsupported(
            f"{system} needs the Python module {module!r}, which is not installed; "
            f"pip install {package or module}"
        )
    if problem.device == "cuda":
        try:
            find_gpu()
        except DeviceError as error:
            return Unsupported(f"{system}: {error}")
    return Supported()
