"""Models compiled for AArch64 on another machine, and run there by an emulator of its user mode.

Kernels, the program's C++ and the run-time's are the ones of any compilation; `driver.cc` takes the
place of Python, of which there is none for the emulated machine."""

from __future__ import annotations

import shutil
import struct
import subprocess
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

from acrobat import Options
from acrobat.aot.build import COMMON, INCLUDE, RuntimeSources
from acrobat.aot.program import emit_program
from acrobat.aot.toolchain import FLAGS, python_include
from acrobat.cache import cached_file, content_hash
from acrobat.ir.type_queries import leaf_types
from acrobat.ir.typed import DataDef
from acrobat.ir.types import (
    BoolType,
    DataRef,
    FloatType,
    IntType,
    ListType,
    TensorType,
    Type,
    UnionType,
)
from acrobat.kernels.printers.cpu import target
from acrobat.kernels.printers.cpu.build import KernelBuild
from acrobat.lang.model import Model
from acrobat.layout import Layout, make_layout
from acrobat.pipeline import run_pipeline
from acrobat.runtime.packings import of_kernels, of_tables
from acrobat.runtime.program import Program
from acrobat.runtime.records import Columns, stored_classes, together

COMPILER, EMULATOR = "aarch64-linux-gnu-g++", "qemu-aarch64"
LIBRARIES = Path("/usr/aarch64-linux-gnu")
_PATIENCE_S = 120.0  # for an emulated program, which takes a second or two
# Every AArch64 has these.
NEON = target.describe("aarch64", "Features\t: fp asimd\nCPU part\t: any")
_FLAGS = tuple("-march=armv8-a" if f == "-march=native" else f for f in FLAGS)
_DRIVER = Path(__file__).with_name("driver.cc")
# Without Python: the driver has its own answer to whether a signal has arrived, and no workload
# calls functions of Python.
_SOURCES = (*(s for s in COMMON if s.stem not in ("signals", "host_calls")), _DRIVER)


def skip_without_tools() -> None:
    """Skips the test if this machine cannot compile for AArch64, or not emulate one."""
    if shutil.which(COMPILER) is None:
        pytest.skip("no g++-aarch64-linux-gnu, as Debian calls it")
    if shutil.which(EMULATOR) is None:
        pytest.skip("no qemu-user, as Debian calls it")
    if not (LIBRARIES / "lib" / "libc.so.6").exists():
        pytest.skip("no libc6-arm64-cross, as Debian calls it")


@contextmanager
def machine_is(cpu: target.CpuTarget) -> Iterator[None]:
    """Kernels are made for `cpu`, and weights packed for them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(target, "machine_target", lambda: cpu)
        patch.delenv("ACROBAT_LANES", raising=False)
        yield


def compile_cpp(arguments: Sequence[str | Path], path: Path) -> None:
    """g++ for AArch64; AssertionError with what it says."""
    with TemporaryDirectory() as multiarch:
        # Debian's own Python has a pyconfig.h for each machine, in a folder of that name. The one
        # of this machine serves: types have the same sizes.
        here = Path("/usr/include") / str(sysconfig.get_config_var("MULTIARCH"))
        (Path(multiarch) / "aarch64-linux-gnu").symlink_to(here)
        folders = (INCLUDE, python_include(), np.get_include(), multiarch)
        command = [COMPILER, *_FLAGS, *(f"-I{f}" for f in folders), *map(str, arguments)]
        done = subprocess.run([*command, "-o", str(path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def emulate(program: Path, given: bytes = b"", arguments: Sequence[str] = ()) -> bytes:
    """What a program for AArch64 writes. AssertionError with its complaints if it fails."""
    command = [EMULATOR, "-L", str(LIBRARIES), str(program), *arguments]
    done = subprocess.run(command, input=given, capture_output=True, timeout=_PATIENCE_S)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    return done.stdout


def compiled(sources: Sequence[Path]) -> Path:
    """An object file of the run-time's sources, once for all tests."""

    def make(path: Path) -> None:
        parts = [path.with_name(f"{s.stem}.o") for s in sources]
        for source, part in zip(sources, parts, strict=True):
            compile_cpp(["-c", source], part)
        compile_cpp(["-r", *parts], path)

    version = subprocess.run([COMPILER, "--version"], capture_output=True, text=True).stdout
    headers = sorted((INCLUDE / "acrobat").rglob("*.h"))
    texts = [p.read_text() for p in (*headers, *sources)]
    key = content_hash([version, *_FLAGS, str(python_include()), np.__version__, *texts])
    return cached_file("standalone", key, ".o", make)[0]


def whole_runtime() -> Path:
    """The object file of all that a program is linked with, conversion of Python's objects too."""
    return compiled(RuntimeSources().sources)


@dataclass(frozen=True, slots=True)
class Executable:
    """A model's, for AArch64; `parts` are its C++ and the objects of its kernels."""

    path: Path
    parts: tuple[Path, ...]
    layout: Layout
    told: bytes  # options and weights

    def run(self, instances: Sequence[Any]) -> list[Any]:
        """The results. AssertionError with what the program says if it fails."""
        given = self.told + _numbers(len(instances))
        given += b"".join(_Writer(self.layout).instance(i) for i in instances)
        said = emulate(self.path, given)
        reader = _Reader(self.layout, said)
        found = [reader.result() for _ in instances]
        assert reader.at == len(said)
        return found


def cross_compile(
    model: Model[..., Any], params: Any, options: Options, folder: Path
) -> Executable:
    """`model` as an executable in `folder`."""
    with machine_is(NEON):
        done = run_pipeline(model, params, options)
        kernels = KernelBuild([k for p in done.plans for k in p.kernels])
        layout = make_layout(done.module, done.plans, options)
        source, objects = folder / "program.cc", kernels.objects()
        source.write_text(emit_program(layout, kernels.described, options), encoding="ascii")
        told = _Told(layout, done.weights, options).text()
    path = folder / "program"
    compile_cpp([source, compiled(_SOURCES), *objects.paths], path)
    return Executable(path, (source, *objects.paths), layout, told)


class _Told(Program):
    """What a program is told, without a library to tell it."""

    def __init__(self, layout: Layout, weights: Mapping[str, np.ndarray], options: Options) -> None:
        self.layout, self.module, self.options = layout, layout.module, options
        packed = [pack([weights[n] for n in names], None) for names, pack in of_kernels(layout)]
        tables = [pack(weights, None) for _, pack in of_tables(layout, in_place=False)]
        self._arrays = packed, tables, [weights[n] for n in layout.arena_weights]

    def text(self) -> bytes:
        o, floats = self.options, self.layout.arena_weight_floats
        text = _numbers(o.thread_count, self.layout.scheduler, o.gather_fusion, o.fibers)
        text += _numbers(o.stack_mb << 20, floats)
        for arrays in self._arrays:
            text += _numbers(len(arrays))
            for array in arrays:
                text += _numbers(array.size) + array.astype("<f4").tobytes()
        return text


def _numbers(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}q", *values)


class _Writer:
    """Instances as the driver reads them."""

    def __init__(self, layout: Layout) -> None:
        self._module, self._columns = layout.module, Columns()
        self._datas = {d.cls: d for d in layout.datas}

    def instance(self, instance: Any) -> bytes:
        arguments = self._module.arguments
        values = (instance,) if len(arguments) == 1 else instance
        pairs = zip(values, arguments, strict=True)
        return b"".join(self._whole(v, t) for v, t in pairs)

    def _whole(self, value: Any, t: Type) -> bytes:
        leaves = self._columns.leaves(value, t)
        return b"".join(map(self._leaf, leaves, leaf_types(t)))

    def _leaf(self, value: Any, t: Type) -> bytes:
        match t:
            case TensorType():
                return bytes(np.asarray(value, "<f4").tobytes())
            case ListType(item):
                items = b"".join(self._leaf(v, item) for v in value)
                return _numbers(len(value)) + items
            case DataRef() | UnionType():
                d = self._datas[type(value)]
                fields = (self._whole(getattr(value, n), of) for n, of in d.given)
                return _numbers(d.tag) + b"".join(fields)
            case FloatType():
                return struct.pack("<d", value)
            case IntType() | BoolType():
                return _numbers(int(value))
        raise AssertionError(f"the driver reads no {t}")


class _Reader:
    """Results as the driver writes them."""

    def __init__(self, layout: Layout, text: bytes) -> None:
        self._module, self._text, self.at = layout.module, text, 0
        self._datas: tuple[DataDef, ...] = layout.datas
        self._classes = stored_classes(layout.module.datas)

    def result(self) -> Any:
        types = self._module.functions[self._module.entry].results
        leaves = iter([self._leaf(t) for t in types])
        return together(leaves, self._module.result, lambda value, _: value)

    def _leaf(self, t: Type) -> Any:
        match t:
            case TensorType(dims):
                shape = [d.known or 0 for d in dims]
                size = 4 * int(np.prod(shape))
                return np.frombuffer(self._bytes(size), "<f4").reshape(shape)
            case ListType(item):
                return [self._leaf(item) for _ in range(self._number())]
            case DataRef() | UnionType():
                d = self._datas[self._number()]
                made = self._classes[d.name](*(self._leaf(of) for _, of in d.fields))
                return made if d.declared is None else d.cls(*made.given(lambda v, _: v))
            case FloatType():
                return struct.unpack("<d", self._bytes(8))[0]
            case BoolType():
                return self._number() != 0
        return self._number()

    def _number(self) -> int:
        return int(struct.unpack("<q", self._bytes(8))[0])

    def _bytes(self, n: int) -> bytes:
        self.at += n
        return self._text[self.at - n : self.at]
