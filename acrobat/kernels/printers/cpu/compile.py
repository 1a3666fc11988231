"""TVM as a compiler: functions of TIR to machine code.

Of TVM's default pipeline the template needs only flattening, vectorising and unrolling; some of the
other passes take time exponential in the nested bindings of the epilogue.
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

# More than any object file has: the size of the file before LLVM writes it.
_OBJECT_BYTES = 64 << 20


def ingredients(target: CpuTarget) -> list[str]:
    """What machine code depends on besides the functions' sources."""
    return [TVM_PIN, target.key, Path(__file__).read_text()]


def object_file(sources: Mapping[str, str], target: CpuTarget) -> bytes:
    """An object file with the functions of `sources`, their TVMScript by symbol. LLVM ends the
    process if it cannot write, for example on a full disk, so it is made to write to memory, where
    there is room. ToolchainError if TVM is missing."""
    module = executable(sources, target)
    with os.fdopen(os.memfd_create("kernel"), "rb") as memory:
        # Raises OSError if LLVM could not write that much.
        os.ftruncate(memory.fileno(), _OBJECT_BYTES)
        module.write_to_file(f"/proc/self/fd/{memory.fileno()}", "o")
        return memory.read()


def executable(sources: Mapping[str, str], target: CpuTarget) -> Any:
    """The functions of `sources`, compiled by TVM in this process. ToolchainError if it is
    missing."""
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
    """The target in TVM's form: this machine's CPU, or any of another architecture that has
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
    """Register our lowering passes under a name that `tirx.build` takes."""
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
