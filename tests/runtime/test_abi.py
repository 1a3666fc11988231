"""A library that does not fit this package is refused before anything in it is called."""

from __future__ import annotations

import ctypes
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acrobat.aot import toolchain
from acrobat.errors import ToolchainError
from acrobat.limits import CPP_NAMES
from acrobat.runtime.abi import ABI_VERSION, check_abi
from acrobat.runtime.structures import TRACE, BlockCounts, Config, RawProfile

STRUCTURES = {"Config": Config}
SIZES = {
    "Config": ctypes.sizeof(Config),
    "Profile": ctypes.sizeof(RawProfile),
    "BlockCounts": ctypes.sizeof(BlockCounts),
    **{name: items.itemsize for name, items in TRACE.items()},
}
Library = Callable[..., tuple[ctypes.PyDLL, Path]]


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """A library that claims something about itself, and its path."""

    def compile(claim: dict[str, Any] | None) -> tuple[ctypes.PyDLL, Path]:
        source, path = tmp_path / "lies.cc", tmp_path / "lies.so"
        text = "#include <Python.h>\n"
        if claim is not None:
            text += (
                'extern "C" PyObject* acrobat_abi() {\n'
                '  PyObject* json = PyImport_ImportModule("json");\n'
                f'  return PyObject_CallMethod(json, "loads", "s", R"({json.dumps(claim)})");\n'
                "}\n"
            )
        source.write_text(text)
        compiler, _ = toolchain.find_compiler()
        command: list[str | Path] = [
            compiler,
            "-shared",
            "-fPIC",
            f"-I{toolchain.python_include()}",
            source,
            "-o",
            path,
        ]
        subprocess.run(command, check=True)
        return ctypes.PyDLL(str(path)), path

    return compile


def claim(program: dict[str, int] | None = None, **runtime: int) -> dict[str, dict[str, int]]:
    """What a library that fits says, but for some numbers."""
    both = {"version": ABI_VERSION, "Context": 264, **CPP_NAMES}
    return {"program": both | (program or {}), "run-time": both | SIZES | runtime}


def advice(path: Path) -> str:
    return (
        f". Delete {path.parent}, where compiled programs are kept, and compile again; if that "
        f"does not help, files of two versions are installed: reinstall acrobat"
    )


def test_a_library_that_fits_is_taken(library: Library) -> None:
    check_abi(*library(claim()), STRUCTURES)


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        (
            claim(Config=SIZES["Config"] + 8),
            f"Config is {SIZES['Config'] + 8} in its run-time and {SIZES['Config']} in the "
            f"Python package",
        ),
        (
            claim(program={"Context": 272}),
            "Context is 264 in its run-time and 272 in the generated program",
        ),
        (
            claim(program={"version": ABI_VERSION + 1}),
            f"version is {ABI_VERSION} in its run-time and {ABI_VERSION + 1} in the generated "
            f"program",
        ),
        (
            claim({"version": 0}, version=0),
            f"version is 0 in its run-time and {ABI_VERSION} in the Python package",
        ),
        (
            claim({"kMaxOperands": 32}, kMaxOperands=32),
            f"kMaxOperands is 32 in its run-time and {CPP_NAMES['kMaxOperands']} in the Python "
            f"package",
        ),
        (
            claim({"Arena": 8}),
            "Arena is not there in its run-time and 8 in the generated program",
        ),
        (None, "it does not say which version of the run-time it has"),
    ],
    ids=["config", "program", "program's version", "version", "limit", "unknown", "silent"],
)
def test_a_library_that_lies_is_refused(library: Library, said: Any, problem: str) -> None:
    loaded, path = library(said)
    with pytest.raises(ToolchainError) as caught:
        check_abi(loaded, path, STRUCTURES)
    assert str(caught.value) == (
        f"lies.so was built by another version of acrobat: {problem}{advice(path)}"
    )
