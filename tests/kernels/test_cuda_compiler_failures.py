"""Where Triton fails: what is tried again, and what users see."""

from __future__ import annotations

import ast
import itertools
import re
import tomllib
import traceback
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

import acrobat
from acrobat.errors import ToolchainError
from acrobat.kernels.printers.cuda import compile
from acrobat.kernels.printers.cuda.build import build_cuda_kernels
from acrobat.kernels.printers.cuda.failure import compilation_failed
from acrobat.kernels.specification.spec import Instr
from tests.kernels.row_specs import pointwise, row_kernel


@pytest.mark.parametrize("called", [False, True], ids=["kernel", "called"])
def test_a_parser_that_another_thread_disturbed(
    called: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CPython's gh-106905, of which Triton hands on an error that is no fault of the kernel; of a
    function that the kernel calls inside of an error of its own."""
    monkeypatch.setenv("ACROBAT_CACHE", str(tmp_path))
    parse, calls = ast.parse, itertools.count()

    def disturbed(*args: Any, **kwargs: Any) -> Any:
        inside = any(f.name == "call_JitFunction" for f in traceback.extract_stack())
        if inside == called and next(calls) < 2:
            raise SystemError("AST constructor recursion depth mismatch (before=42, after=34)")
        return parse(*args, **kwargs)

    monkeypatch.setattr(ast, "parse", disturbed)
    assert build_cuda_kernels([pointwise(9)], 90).build_s > 0
    assert next(calls) > 2

    def refuses(*args: Any, **kwargs: Any) -> Any:
        raise SystemError("something else")

    monkeypatch.setattr(ast, "parse", refuses)
    with pytest.raises(ToolchainError, match="SystemError: something else"):
        build_cuda_kernels([pointwise(10)], 90)


def test_the_range_is_that_of_the_environment() -> None:
    root = Path(acrobat.__file__).parents[1]
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    assert compile.TRITON in project["optional-dependencies"]["gpu"]
    assert Requirement(compile.TRITON).specifier.contains(compile.LOCKED_TRITON)
    lock = (root / "requirements" / "dev.txt").read_text()
    assert f"\ntriton=={compile.LOCKED_TRITON} " in lock


def test_an_architecture_that_does_not_exist(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ToolchainError) as caught:
        build_cuda_kernels([pointwise(1024)], 130)
    capfd.readouterr()  # Triton prints the whole program
    first, *lines, last = str(caught.value).splitlines()
    assert first.startswith("Triton failed to compile pointwise_r1 for sm_130: PTXASError: ")
    # The tool's own output, and its command.
    assert "`ptxas` stderr:" in lines
    assert any("not defined for option 'gpu-name'" in line for line in lines)
    assert any(line.startswith("Repro command: ") for line in lines)
    text = Path(last.removeprefix("the kernel's source is ")).read_text()
    assert "def pointwise_r1(" in text


def test_a_compiler_that_is_ended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As on a machine without memory: the whole way from the process to the message."""
    killed = tmp_path / "ptxas"
    version = "Cuda compilation tools, release 12.8, V12.8.93"
    killed.write_text(
        f"#!/bin/sh\nif [ $1 = --version ]; then echo '{version}'; exit; fi\n"
        "echo 'last words' >&2\nkill -9 $$\n"
    )
    killed.chmod(0o755)
    monkeypatch.setenv("TRITON_PTXAS_PATH", str(killed))
    monkeypatch.setenv("ACROBAT_CACHE", str(tmp_path / "cache"))
    with pytest.raises(ToolchainError) as caught:
        build_cuda_kernels([pointwise(9)], 90)
    lines = str(caught.value).splitlines()
    told = r"Triton failed to compile pointwise_r\d+ for sm_90: PTXASError: PTXAS error: "
    assert re.fullmatch(told + "`ptxas` failed with error code -9", lines[0])
    assert "last words" in lines
    assert lines[-2] == (
        "ptxas was ended by SIGKILL: the system ends processes so when memory is short; compile "
        "again with more of it, or with fewer programs beside it"
    )


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (RuntimeError(""), "RuntimeError: (it says nothing)"),
        (
            RuntimeError("PassManager::run failed"),
            "RuntimeError: PassManager::run failed\n"
            "what the pass found wrong is on standard error, above",
        ),
        (
            OSError(28, "No space left on device"),
            "OSError: [Errno 28] No space left on device\n"
            "the system refused that, not the compiler: see that the machine has memory, processes "
            "and room in its temporary folder, and compile again",
        ),
        (
            RuntimeError("`ptxas` failed with error code -11"),
            "RuntimeError: `ptxas` failed with error code -11\n"
            "ptxas was ended by SIGSEGV: it crashed; please report it with the kernel's source",
        ),
    ],
)
def test_what_a_failure_says(error: Exception, said: str) -> None:
    told = compilation_failed("cell_r1", 90, Path("/cache/k.py"), error)
    assert str(told) == (
        f"Triton failed to compile cell_r1 for sm_90: {said}\nthe kernel's source is /cache/k.py"
    )


def test_names_and_precisions_are_checked() -> None:
    spec = row_kernel("two words", 1, 4, [Instr("lit", (), 1.0)])
    with pytest.raises(ValueError, match="kernel name 'two words' is not a C identifier"):
        build_cuda_kernels([spec], 90)
    with pytest.raises(ValueError, match="two kernels are named 'pointwise'"):
        build_cuda_kernels([pointwise(3), pointwise(4)], 90)
    with pytest.raises(
        ValueError, match="precision 'fp8': the choices are fp32, tf32x3, bf16x6, tf32, bf16"
    ):
        build_cuda_kernels([pointwise(3)], 90, "fp8")  # type: ignore[arg-type]
