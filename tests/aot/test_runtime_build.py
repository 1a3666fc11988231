"""The run-time's C++: free of warnings, compiled once, also by several at a time."""

from __future__ import annotations

import subprocess
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from acrobat.aot import build
from acrobat.errors import ToolchainError


def test_no_warnings(tmp_path: Path) -> None:
    compiler, _ = build.find_compiler()
    every = tmp_path / "every.cc"
    every.write_text("".join(f'#include "{s}"\n' for s in build.RuntimeSources().sources))
    folders = (build.INCLUDE, build.python_include(), np.get_include())
    warnings = ("-Wall", "-Wextra", "-fsyntax-only", *(f"-I{f}" for f in folders))
    done = subprocess.run(
        [compiler, *build.FLAGS, *warnings, str(every)],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_sources_are_compiled_beside_each_other_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACROBAT_CACHE", str(tmp_path))
    running, most, calls = 0, 0, []
    lock = threading.Lock()

    def compile(
        what: str, arguments: list[object], path: Path, *rest: object, **named: int
    ) -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
            calls.append(path.name)
        time.sleep(0.2)
        path.write_bytes(b"object")
        with lock:
            running -= 1

    monkeypatch.setattr(build, "_compile", compile)
    builds = [build.RuntimeBuild() for _ in range(3)]
    (path,) = {b.object() for b in builds}
    assert path.read_bytes() == b"object" and path.parent == tmp_path / "programs"
    assert sorted(calls) == sorted(["context.o", "memory.o", "python.o", path.name])
    assert most == 3


def test_what_fails_is_told_to_those_who_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACROBAT_CACHE", str(tmp_path / "cache"))
    source = tmp_path / "bad.cc"
    source.write_text("int x = y;\n")
    bad = build.RuntimeBuild(build.RuntimeSources((source,)))
    with pytest.raises(ToolchainError) as caught:
        bad.object()
    assert "g++ failed on the runtime (exit code 1):" in str(caught.value)
    assert "was not declared in this scope" in str(caught.value)
    assert not list((tmp_path / "cache").rglob("*.o"))
