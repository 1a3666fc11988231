"""Compile a variant's source to a cubin with Triton and the ptxas that comes with it, without a
GPU."""

from __future__ import annotations

import contextlib
import functools
import importlib.metadata
import importlib.util
import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from ....cache import cached_file, content_hash, scratch_folder, verified
from ....errors import ToolchainError
from .failure import compilation_failed

_one_at_a_time = threading.Lock()
# Triton's modules import each other circularly: a thread that imports one while another thread does
# could get it half initialised.
_importing = threading.Lock()

# The releases that work, of which the first and the last are tested, and the one that is locked.
TRITON = "triton>=3.6,<3.8"
LOCKED_TRITON = "3.7.1"

_ATTEMPTS = 5  # see `_undisturbed`


@dataclass(frozen=True, slots=True)
class Source:
    """A kernel to be compiled: `text` defines the function `symbol`, whose parameters have the
    types `signature`; those in `aligned` are multiples of 16."""

    text: str
    symbol: str
    signature: Mapping[str, str]
    warps: int
    arch: int
    aligned: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cubin:
    """A compiled `Source`. `shared`: bytes of dynamic shared memory. `hit`: nothing was compiled
    for it now."""

    path: Path
    shared: int
    hit: bool


@contextlib.contextmanager
def triton_cache() -> Iterator[None]:
    """A temporary folder for Triton's own cache: lasting results are in ours, and other processes
    that use Triton do not share it. One caller at a time, because the setting is the process's."""
    with _one_at_a_time, scratch_folder() as folder:
        before = os.environ.get("TRITON_CACHE_DIR")
        os.environ["TRITON_CACHE_DIR"] = str(folder)
        try:
            yield
        finally:
            del os.environ["TRITON_CACHE_DIR"]
            if before is not None:
                os.environ["TRITON_CACHE_DIR"] = before


def check_toolchain() -> None:
    """Import Triton; ToolchainError if that is not possible."""
    try:
        with _importing:
            import triton
            import triton.backends.compiler
            import triton.compiler  # noqa: F401
    except ImportError as error:
        raise ToolchainError(
            f"the GPU kernels are generated with Triton, which cannot be imported ({error}); "
            f"install it: pip install '{TRITON}'"
        ) from error


@functools.cache
def triton_version() -> str:
    """The installed version of Triton, found without an import; if there is none, the locked one,
    so that results that it compiled elsewhere are found in the cache."""
    try:
        return importlib.metadata.version("triton")
    except importlib.metadata.PackageNotFoundError:
        return LOCKED_TRITON


def cubin(source: Source) -> Cubin:
    """The machine code of `source`, from the cache or compiled. ToolchainError with the compiler's
    message if it fails, and if the result is not what the run-time launches."""
    imported = Path(__file__).with_name("device_functions.py").read_text()
    settings = f"triton=={triton_version()} sm_{source.arch} {source.warps}"
    key = content_hash([settings, imported, source.text])

    def make(path: Path) -> None:
        code, shared = _compile(source, key)
        cached_file("cubin", key, ".cubin", lambda p: _write(p, code))
        path.write_text(json.dumps({"shared": shared}))

    # The launch parameters are written last: if they exist, so does the cubin.
    launch, hit = cached_file("launch", key, ".json", make)
    path, found = cached_file("cubin", key, ".cubin", lambda p: _write(p, _compile(source, key)[0]))
    return Cubin(path, json.loads(verified(launch))["shared"], hit and found)


def load_source(text: str, name: str) -> ModuleType:
    """Load `text` as a module. Its file is in the cache: Triton reads functions from their files,
    and a profiler shows the lines."""
    path, _ = cached_file("triton", name, ".py", lambda p: _write(p, text.encode()))
    spec = importlib.util.spec_from_file_location(f"acrobat_kernel_{name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def _compile(source: Source, key: str) -> tuple[bytes, int]:
    result = compiled(source, key)
    return result.asm["cubin"], result.metadata.shared


def compiled(source: Source, key: str) -> Any:
    """Triton's result for `source`, with the texts of all stages (`asm`). `key` names the module.
    Must be called within `triton_cache`. ToolchainError as for `cubin`."""
    check_toolchain()
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    function: Any = getattr(load_source(source.text, key), source.symbol)
    names = list(source.signature)
    aligned = [names.index(n) for n in source.aligned]
    made = ASTSource(
        function,
        dict(source.signature),
        attrs={(i,): [["tt.divisibility", 16]] for i in aligned},
    )
    target, options = GPUTarget("cuda", source.arch, 32), {"num_warps": source.warps}
    try:
        result = _undisturbed(lambda: triton.compile(made, target=target, options=options))
    except Exception as error:
        text = Path(function.fn.__code__.co_filename)
        raise compilation_failed(source.symbol, source.arch, text, error) from error
    _check_launch(source, result.metadata)
    return result


def _check_launch(source: Source, metadata: Any) -> None:
    """Raise ToolchainError unless Triton expects the launch that the run-time makes: of the symbol,
    with that number of warps, without clusters, with null for both pointers to scratch memory."""
    expected = {
        "name": source.symbol,
        "num_warps": source.warps,
        "num_ctas": 1,
        "global_scratch_size": 0,
        "profile_scratch_size": 0,
    }
    for name, value in expected.items():
        found = getattr(metadata, name, None)
        if found != value:
            raise ToolchainError(
                f"Triton {triton_version()} compiled {source.symbol} for sm_{source.arch} to what "
                f"the run-time cannot launch: {name} is {found!r} instead of {value!r}; "
                f"install a version that is supported: pip install '{TRITON}'"
            )


def _undisturbed(make: Callable[[], Any]) -> Any:
    """The result of `make`, retried if it failed because another thread parsed Python meanwhile:
    CPython before 3.11.8 and 3.12.2 counts the depth of all threads' syntax trees together
    (gh-106905)."""
    for _ in range(_ATTEMPTS - 1):
        try:
            return make()
        except Exception as error:
            if not _was_disturbed(error):
                raise
    return make()


def _was_disturbed(error: BaseException | None) -> bool:
    """Whether CPython's message is in an error or in its causes, where Triton 3.7 has it."""
    while error is not None:
        if "AST constructor recursion depth mismatch" in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False
