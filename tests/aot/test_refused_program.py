"""A generated program that g++ refuses is the compiler's fault, and said to be; g++'s words are
kept for the report. What fails because of the machine stays a ToolchainError."""

from __future__ import annotations

import re
import stat
from pathlib import Path

import pytest

import acrobat as ab
from acrobat.aot import toolchain
from acrobat.aot.build import build_program

REFUSED = (
    r"(?P<compiler>\S+) refused the C\+\+ that this model was compiled to. This is a fault of the "
    r"compiler, not of the model. Please report it with the model: the generated C\+\+ and what "
    r"(?P=compiler) said are in (?P<folder>\S+); ACROBAT_DISABLE=1 runs the model as plain Python, "
    r"executor='vm' without g\+\+\."
)


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))


def compiled(source: str, tmp_path: Path) -> None:
    path = tmp_path / "program.cc"
    path.write_text(source)
    toolchain.run_compiler(toolchain.GENERATED, ["-c", path], tmp_path / "program.o")


def test_the_report_has_the_source_and_what_was_said(tmp_path: Path) -> None:
    with pytest.raises(ab.CompilerBug) as caught:
        compiled("int f() { return y; }\n", tmp_path)
    match = re.fullmatch(REFUSED, str(caught.value))
    assert match is not None, caught.value
    folder = Path(match["folder"])
    assert (folder / "program.cc").read_text() == "int f() { return y; }\n"
    assert "was not declared" in (folder / "errors.txt").read_text()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_whole_program() -> None:
    with pytest.raises(ab.CompilerBug):
        build_program("int f() { return y; }\n", ())


def test_files_that_are_missing_are_the_machines_fault(tmp_path: Path) -> None:
    with pytest.raises(ab.ToolchainError) as caught:
        compiled('#include "not_there.h"\n', tmp_path)
    assert "not_there.h" in str(caught.value)


def test_a_compiler_that_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    killed = tmp_path / "bin" / "g++"
    killed.parent.mkdir()
    killed.write_text("#!/bin/sh\nkill -9 $$\n")
    killed.chmod(0o755)
    monkeypatch.setattr(toolchain, "find_compiler", lambda: (str(killed), "killed"))
    with pytest.raises(ab.ToolchainError, match=r"was killed on the generated program \(SIGKILL\)"):
        compiled("int x;\n", tmp_path)
