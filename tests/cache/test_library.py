"""What is loaded stays what it was, and its name is never another file's."""

from __future__ import annotations

import ctypes
import os
import subprocess
from pathlib import Path

import psutil
import pytest

from acrobat.aot.toolchain import find_compiler
from acrobat.cache import cached_file, load_library
from acrobat.errors import ToolchainError


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ACROBAT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def build(path: Path) -> None:
    """A library whose only function has a page of its own."""
    source = "char pad[1 << 16] = {1}; int answer() { return pad[5000] + 42; }"
    command = [find_compiler()[0], "-shared", "-fPIC", "-x", "c", "-", "-o", str(path)]
    subprocess.run(command, input=source, text=True, check=True)


def loaded(number: int) -> tuple[Path, ctypes.CDLL]:
    path, _ = cached_file("kind", f"key{number}", ".so", build)
    return path, load_library(path, ctypes.CDLL)


def test_a_loaded_library_is_out_of_reach(cache: Path) -> None:
    path, library = loaded(0)
    os.truncate(path, 0)
    assert library.answer() == 42
    path.unlink()
    again = loaded(0)[1]
    assert again._handle == library._handle and again.answer() == 42


def test_the_name_of_a_loaded_library_is_no_file(cache: Path) -> None:
    """tvm_ffi maps the files of everything that is loaded, by name, when it is imported: a name
    that another file has by then ends the process."""
    before = psutil.Process().num_fds()
    names = [Path(loaded(number)[1]._name) for number in range(3)]
    assert psutil.Process().num_fds() == before
    held = [os.open(cache, os.O_RDONLY) for _ in range(32)]
    assert len(set(names)) == 3 and not any(name.is_file() for name in names)
    assert not any(str(name).startswith("/proc") for name in names)
    for descriptor in held:
        os.close(descriptor)
    assert not list(cache.glob("acrobat-scratch-*")) and not list(cache.rglob("*.tmp"))


def test_what_cannot_be_loaded_says_so() -> None:
    def write(path: Path) -> None:
        path.write_bytes(b"no library")

    path, _ = cached_file("kind", "text", ".so", write)
    with pytest.raises(ToolchainError) as caught:
        load_library(path, ctypes.CDLL)
    assert str(caught.value).startswith(f"the compiled program {path} cannot be loaded: ")
