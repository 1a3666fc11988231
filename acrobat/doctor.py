"""`acrobat doctor`: what this machine can run, and what is missing for the rest."""

from __future__ import annotations

import importlib.metadata
import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .cache import cache_dir
from .cache_command import summary
from .checkout import find_checkout, use_checkout
from .errors import DeviceError, ToolchainError

# The versions pinned by the extra `cpu`: TVM 0.27 crashes with later releases of its FFI.
TVM = (("tvm", "apache-tvm", "0.27.0.post1"), ("tvm-ffi", "apache-tvm-ffi", "0.1.14.post1"))
_INSTALL_TVM = "pip install " + " ".join(f"{p}=={v}" for _, p, v in TVM)
_HARNESS = (
    *("jsonschema", "pyyaml", "psutil", "scipy", "pandas", "matplotlib", "tabulate", "jinja2"),
    "tqdm",
)


@dataclass(frozen=True, slots=True)
class Check:
    """One line: what was checked, whether it is present, and what was found or what to do. If
    something `essential` is missing, no model can be compiled here."""

    name: str
    ok: bool
    detail: str
    essential: bool = False

    def line(self) -> str:
        """The check as one line of text."""
        return f"{'ok     ' if self.ok else 'missing'}  {self.name:<13} {self.detail}"


def examine() -> list[Check]:
    """All checks, in the order in which a user would want to read them."""
    compiler = [_tool("g++", lambda: " ".join(_compiler())), _tool("Python.h", _headers)]
    gpu, triton = _gpu(), _triton()
    # Where kernels can be generated for a GPU, models run without TVM.
    tvm = [_tvm(*pin, essential=not (gpu.ok and triton.ok)) for pin in TVM]
    checks = [*compiler, *tvm, _cpu(), _cache(), gpu, triton, _checkout()]
    if find_checkout() is None:
        return checks
    return [
        *checks,
        _packages("harness", _HARNESS, "no measurements, tables and figures"),
        _package("snakemake", "snakemake", "no pipeline; `acrobat bench` works without it"),
        *_systems(*compiler),
        _data(),
    ]


def verdict(checks: Sequence[Check]) -> str:
    """The last line: whether models can be compiled here."""
    lacking = [c.name for c in checks if c.essential and not c.ok]
    if lacking:
        return f"models cannot be compiled here: {', '.join(lacking)} missing"
    return "models can be compiled here"


def _tool(name: str, find: Callable[[], str]) -> Check:
    try:
        return Check(name, True, find(), essential=True)
    except ToolchainError as error:
        return Check(name, False, str(error), essential=True)


def _compiler() -> tuple[str, str]:
    from .aot.toolchain import find_compiler

    return find_compiler()


def _headers() -> str:
    from .aot.toolchain import python_include

    return str(python_include())


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _package(name: str, package: str, otherwise: str) -> Check:
    version = _version(package)
    return Check(name, bool(version), version or f"{otherwise}; pip install {package}")


def _packages(name: str, packages: Sequence[str], otherwise: str) -> Check:
    lacking = [p for p in packages if _version(p) is None]
    if lacking:
        return Check(name, False, f"{otherwise}; pip install {' '.join(lacking)}")
    return Check(name, True, ", ".join(packages))


def _tvm(name: str, package: str, wanted: str, essential: bool) -> Check:
    version = _version(package)
    if version == wanted:
        return Check(name, True, version, essential)
    found = f"{version} instead of {wanted}" if version else "CPU kernels cannot be generated"
    return Check(name, False, f"{found}; {_INSTALL_TVM}", essential)


def _triton() -> Check:
    from .kernels.printers.cuda.compile import TRITON

    version = _version("triton")
    return Check("triton", bool(version), version or f"no kernels for GPUs; pip install '{TRITON}'")


def _cpu() -> Check:
    from .kernels.printers.cpu.target import host_target

    target = host_target()
    cores = len(os.sched_getaffinity(0))
    return Check(
        "cpu", True, f"{target.model}, {cores} cores usable, vectors of {target.lanes} floats"
    )


def _cache() -> Check:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        folder = cache_dir()
    if caught:
        return Check("cache", False, str(caught[0].message))
    return Check("cache", True, summary(folder))


def _gpu() -> Check:
    from .runtime.gpu import find_gpu

    try:
        gpu = find_gpu()
    except DeviceError as error:
        return Check("gpu", False, f"{error}; everything runs on the CPU")
    return Check("gpu", True, f"{gpu.name}, sm_{gpu.arch}")


def _systems(compiler: Check, headers: Check) -> list[Check]:
    """The checks of what the measured systems need, according to their records."""
    import baselines

    needed = [needs for record in baselines.records().values() for needs in record.needs]
    return [Check(needs.name, *needs.examine(compiler.ok, headers.ok)) for needs in needed]


def _checkout() -> Check:
    try:
        use_checkout()
    except FileNotFoundError as error:
        return Check("checkout", False, str(error))
    return Check("checkout", True, str(find_checkout()))


def _data() -> Check:
    from workloads.data.source import ENVIRONMENT, find_source

    try:
        source = find_source()
    except FileNotFoundError as error:
        return Check("data", False, str(error))
    if source.folder is None:
        return Check(
            "data",
            False,
            f"no treebank: trees are generated; set {ENVIRONMENT} to a folder with train.txt",
        )
    return Check("data", True, f"Stanford Sentiment Treebank, {source.label}")
