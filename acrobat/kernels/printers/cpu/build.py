"""Compile every kernel to an object file of its own, once: TVM is imported only when one is not in
the cache. Programs that have a kernel in common share its object.

The objects are linked by g++ into the generated program. `nm -u` of one lists one symbol (a test
keeps it so), which the program must provide (runtime/include/acrobat/python/entry.h does):

    void TVMFFIErrorSetRaisedFromCStrParts(const char* kind, const char** parts, int32_t n)

The packed convention calls it, and returns nonzero, when the number or the types of the arguments
are wrong. Nothing else is needed: kernels allocate no workspace, start no threads, check no
bounds, and use no mathematical library.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ....cache import cached_file, content_hash
from ....errors import ToolchainError
from ....log import logger
from ...specification.spec import KernelSpec, check_names
from ..calling_convention import CompiledKernel, KernelObjects
from .emit import build_function, kernel_source, packed_floats, vector_offsets
from .target import CpuTarget, host_target
from .template import choose_template, rows_at_once

_PIPELINE = "acrobat"
TVM_PIN = "apache-tvm==0.27.0.post1 apache-tvm-ffi==0.1.14.post1"


def build_kernels(specs: Sequence[KernelSpec], target: CpuTarget | None = None) -> KernelObjects:
    """An object file per kernel with all its variants, for this machine unless `target` says
    otherwise; kernels that differ in nothing but their names are compiled once. ToolchainError if
    TVM is needed and missing, ValueError for names that are not unique C identifiers."""
    target = target or host_target()
    check_names(specs)
    first: dict[str, KernelSpec] = {}
    alike = {s.name: first.setdefault(_computes(s), s) for s in specs}
    described = {s.name: _described(s, target) for s in first.values()}
    kernels = {name: described[s.name] for name, s in alike.items()}
    start = time.perf_counter()
    paths: list[Path] = []
    seconds: dict[str, float] = {}
    for spec in first.values():
        began = time.perf_counter()
        path, hit = _object(spec, target)
        paths.append(path)
        if not hit:
            seconds[spec.name] = time.perf_counter() - began
    build_s = time.perf_counter() - start if seconds else 0.0
    if seconds:
        logger.info("%d of %d kernels: %.1f s", len(seconds), len(paths), build_s)
    return KernelObjects(tuple(paths), kernels, build_s, seconds)


def _object(spec: KernelSpec, target: CpuTarget) -> tuple[Path, bool]:
    """The object file of one kernel, and whether the cache had it."""
    template = choose_template(spec, target)
    sources = [kernel_source(spec, template, r) for r in template.tiles]
    pipeline = Path(__file__).read_text()
    key = content_hash([TVM_PIN, target.key, pipeline, *sources])
    return cached_file("kernels", key, ".o", partial(_compile, spec, target), check=False)


def _computes(spec: KernelSpec) -> str:
    """What `spec` computes, whatever its name; as text, in which 0.0 and -0.0 differ."""
    return repr(replace(spec, name=""))


def _described(spec: KernelSpec, target: CpuTarget) -> CompiledKernel:
    template = choose_template(spec, target)
    return CompiledKernel(
        name=spec.name,
        tiles=template.tiles,
        usual=template.usual,
        rows_at_once=rows_at_once(spec, template),
        column_blocks=template.blocks,
        weight_floats=packed_floats(spec, template) * template.blocks,
        vector_floats=vector_offsets(spec, template)[-1],
    )


# The kernels that are compiled into this process, by what they compute, whatever their name: a
# function for every height of tiles.
_loaded: dict[str, dict[int, Callable[..., object]]] = {}


def load_kernels(
    specs: Sequence[KernelSpec],
) -> tuple[dict[str, CompiledKernel], dict[str, Callable[..., object]]]:
    """The kernels compiled into this process, and their functions by symbol. Each is compiled once
    per process and no compiler but TVM's own is needed. ToolchainError if TVM is missing."""
    target = host_target()
    check_names(specs)
    kernels = {s.name: _described(s, target) for s in specs}
    keys = {s.name: _computes(s) for s in specs}
    new = {keys[s.name]: s for s in specs if keys[s.name] not in _loaded}
    if new:
        module = _executable(list(new.values()), target)
        for key, s in new.items():
            _loaded[key] = {r: module[f"{s.name}_r{r}"] for r in kernels[s.name].tiles}
    functions = {
        k.symbol(r): _loaded[keys[name]][r] for name, k in kernels.items() for r in k.tiles
    }
    return kernels, functions


# An object file has less; it is as large as that before LLVM writes it.
_OBJECT_BYTES = 64 << 20


def _compile(spec: KernelSpec, target: CpuTarget, path: Path) -> None:
    """LLVM ends the process if it cannot write, on a full disk for example: it writes to memory,
    where there is room."""
    executable = _executable([spec], target)
    with os.fdopen(os.memfd_create(spec.name), "rb") as memory:
        # OSError if LLVM could not write so much.
        os.ftruncate(memory.fileno(), _OBJECT_BYTES)
        executable.write_to_file(f"/proc/self/fd/{memory.fileno()}", "o")
        path.write_bytes(memory.read())


def _executable(specs: Sequence[KernelSpec], target: CpuTarget) -> Any:
    try:
        import tvm
        from tvm.target.codegen import llvm_get_system_cpu
    except ImportError as error:
        raise ToolchainError(
            f"the CPU kernels are generated with Apache TVM, which cannot be imported ({error}); "
            f"install it: pip install {TVM_PIN}"
        ) from error
    functions = {}
    for spec in specs:
        template = choose_template(spec, target)
        for r in template.tiles:
            functions[f"{spec.name}_r{r}"] = build_function(spec, template, r)
    llvm = {"kind": "llvm", "mcpu": llvm_get_system_cpu()}
    if target.attributes:
        llvm["mattr"] = target.attributes
    module = tvm.IRModule(functions)
    _register_pipeline()
    return tvm.tirx.build(module, target=tvm.target.Target(llvm), pipeline=_PIPELINE)


def _register_pipeline() -> None:
    """Name our lowering passes for `tirx.build`. The template leaves nothing to TVM's default
    pipeline but flattening, vectorising and unrolling; some of its other passes take time
    exponential in the nested bindings of the epilogue."""
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
