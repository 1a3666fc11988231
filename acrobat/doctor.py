"""`acrobat doctor`: what this machine can run, and what is missing for the rest."""

from __future__ import annotations

import importlib.metadata
import os
from collections.abc import Callable
from dataclasses import dataclass

from .errors import DeviceError, ToolchainError


@dataclass(frozen=True, slots=True)
class Check:
    """One line: what was looked at, whether it is there, what was found or what to do."""

    name: str
    ok: bool
    detail: str
    essential: bool = False

    def line(self) -> str:
        """The check as one line of text."""
        return f"{'ok     ' if self.ok else 'missing'}  {self.name:<12} {self.detail}"


def examine() -> list[Check]:
    """All checks, in the order in which a user would want to read them."""
    return [
        _tool("g++", lambda: " ".join(_compiler())),
        _tool("Python.h", _headers),
        _package(
            "tvm",
            "apache-tvm",
            "CPU kernels cannot be generated; pip install apache-tvm==0.27.0.post1 "
            "apache-tvm-ffi==0.1.14.post1",
            essential=True,
        ),
        _ffi_pin(),
        _cpu(),
        _package("dynet", "dyNET38", "no DyNet rows; pip install dynet38"),
        _package("torch", "torch", "no PyTorch and floor rows; pip install torch"),
        _package("snakemake", "snakemake", "no pipeline; `acrobat bench` works without it"),
        _gpu(),
        _data(),
    ]


def _tool(name: str, find: Callable[[], str]) -> Check:
    try:
        return Check(name, True, find(), essential=True)
    except ToolchainError as error:
        return Check(name, False, str(error), essential=True)


def _compiler() -> tuple[str, str]:
    from .aot.build import find_compiler

    return find_compiler()


def _headers() -> str:
    from .aot.build import python_include

    return str(python_include())


def _package(name: str, package: str, otherwise: str, essential: bool = False) -> Check:
    try:
        return Check(name, True, importlib.metadata.version(package), essential)
    except importlib.metadata.PackageNotFoundError:
        return Check(name, False, otherwise, essential)


def _ffi_pin() -> Check:
    try:
        version = importlib.metadata.version("apache-tvm-ffi")
    except importlib.metadata.PackageNotFoundError:
        version = "none"
    good = version == "0.1.14.post1"
    advice = "" if good else "; later releases crash with TVM 0.27: pin 0.1.14.post1"
    return Check("tvm-ffi", good, version + advice)


def _cpu() -> Check:
    from .kernels.cpu.target import host_target

    target = host_target()
    cores = len(os.sched_getaffinity(0))
    return Check(
        "cpu", True, f"{target.model}, {cores} cores usable, vectors of {target.lanes} floats"
    )


def _gpu() -> Check:
    from .runtime.gpu import find_gpu

    try:
        gpu = find_gpu()
    except DeviceError as error:
        return Check("gpu", False, f"{error}; everything runs on the CPU")
    return Check("gpu", True, f"{gpu.name}, sm_{gpu.arch}")


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
