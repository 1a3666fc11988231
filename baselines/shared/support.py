"""Checks that all systems share, with the same wording in every `supports`."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Sequence
from pathlib import Path

from acrobat.errors import DeviceError
from acrobat.runtime.gpu import find_gpu
from workloads import ALL

from ..api import Problem, Supported, Unsupported


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

    `module` is a Python module that the system needs, looked up without importing it; `package`
    is the name under which it is installed (default: the same). On "cuda" a GPU must be present.
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


def implemented(package: str, defines: str | None = None) -> tuple[str, ...]:
    """The workloads for which `package` has a module of the same name; with `defines`, only those
    whose module defines that name at top level. Nothing is imported, as that may take a second."""
    found = {name: importlib.util.find_spec(f"{package}.{name}") for name in ALL}
    return tuple(
        name
        for name, spec in found.items()
        if spec and spec.origin and (defines is None or _defines(Path(spec.origin), defines))
    )


def _defines(source: Path, name: str) -> bool:
    for statement in ast.parse(source.read_text()).body:
        if isinstance(statement, ast.ClassDef | ast.FunctionDef) and statement.name == name:
            return True
        if isinstance(statement, ast.Assign):
            targets = [target.id for target in statement.targets if isinstance(target, ast.Name)]
            if name in targets:
                return True
    return False
