"""TVM as a compiler: functions of TIR to machine code.

The template leaves nothing to TVM's default pipeline but flattening, vectorising and unrolling;
some of its other passes take time exponential in the nested bindings of the epilogue.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ....errors import ToolchainError
from .import_tvm import import_tvm
from .script import run_script
from .target import CpuTarget

TVM_PIN = "apache-tvm==0.27.0.post1 apache-tvm-ffi==0.1.14.post1"

_PIPELINE = "acrobat"

# An object file has less; it is as large as that before LLVM writes it.
_OBJECT_BYTES = 64 << 20


def ingredients(target: CpuTarget) -> list[str]:
    """What machine code depends on besides the functions' sources."""
    return [TVM_PIN, target.key, Path(__file__).read_text()]


def object_file(sources: Mapping[str, str], target: CpuTarget) -> bytes:
    """An object file with functions, whose TVMScript `sources` are by symbol. LLVM ends the process
    if it cannot write, on a full disk for example: it writes to memory, where there is room.
    ToolchainError if TVM is missing."""
    module = executable(sources, target)
    with os.fdopen(os.memfd_create("kernel"), "rb") as memory:
        # OSError if LLVM could not write so much.
        os.ftruncate(memory.fileno(), _OBJECT_BYTES)
        module.write_to_file(f"/proc/self/fd/{memory.fileno()}", "o")
        return memory.read()


def executable(sources: Mapping[str, str], target: CpuTarget) -> Any:
    """What TVM makes of functions, in this process. ToolchainError if it is missing."""
    try:
        tvm = import_tvm()
    except ImportError as error:
        raise ToolchainError(
            f"the CPU kernels are generated with Apache TVM, which cannot be imported ({error}); "
            f"install it: pip install {TVM_PIN}"
        ) from error
    functions = {name: run_script(source) for name, source in sources.items()}
    llvm = _llvm(target)
    module = tvm.IRModule(functions)
    _register_pipeline()
    return tvm.tirx.build(module, target=tvm.target.Target(llvm), pipeline=_PIPELINE)


def _llvm(target: CpuTarget) -> dict[str, Any]:
    """The target as TVM wants it: this machine's CPU, or any of another architecture that has
    `target.flags`."""
    from tvm.target.codegen import llvm_get_system_cpu

    if target.machine == platform.machine():
        llvm: dict[str, Any] = {"kind": "llvm", "mcpu": llvm_get_system_cpu()}
        attributes = target.attributes
    else:
        llvm = {"kind": "llvm", "mcpu": "generic", "mtriple": f"{target.machine}-linux-gnu"}
        attributes = [f"+{f}" for f in target.flags]
    return llvm | ({"mattr": attributes} if attributes else {})


def _register_pipeline() -> None:
    """Name our lowering passes for `tirx.build`."""
    import tvm
    from tvm.tirx import compilation_pipeline, transform

    def factory() -> tuple[object, object, object]:
        passes = tvm.transform.Sequential(
            [
                transform.FlattenBuffer(),
                transform.VectorizeLoop(True),
                transform.UnrollLoop(),
                transform.AnnotateEntryFunc(),
                transform.SplitHostDevice(),
                transform.MakePackedAPI(),
            ]
        )
        host = tvm.transform.Sequential([transform.LowerIntrin()])
        return passes, lambda: host, lambda: host

    compilation_pipeline.register_tir_pipeline(_PIPELINE, factory)
