"""The run-time's C++: free of warnings, compiled once, also by several at a time."""

from __future__ import annotations

import shutil
import subprocess
import threading
from pathlib import Path

import numpy as np
import pytest

from acrobat.aot import build
from acrobat.aot.toolchain import compiler_flags, find_compiler, python_include
from acrobat.errors import ToolchainError


@pytest.mark.slow
def test_no_warnings(tmp_path: Path) -> None:
    compiler, _ = find_compiler()
    every = tmp_path / "every.cc"
    every.write_text("".join(f'#include "{s}"\n' for s in build.RuntimeSources().sources))
    folders = (build.INCLUDE, python_include(), np.get_include())
    warnings = ("-Wall", "-Wextra", "-fsyntax-only", *(f"-I{f}" for f in folders))
    done = subprocess.run(
        [compiler, *compiler_flags(), *warnings, str(every)],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_sources_are_compiled_in_parallel_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACROBAT_CACHE", str(tmp_path))
    calls: list[str] = []
    sources = build.RuntimeSources().sources
    # Nobody passes before all have come, and all builds have begun.
    together = threading.Barrier(len(sources) + 1)

    def compile(
        what: str, arguments: list[object], path: Path, *rest: object, **named: object
    ) -> None:
        calls.append(str(arguments[-1]) if arguments[0] == "-c" else path.name)
        if arguments[0] == "-c":
            together.wait(600)
        path.write_bytes(b"object")

    monkeypatch.setattr(build, "_compile", compile)
    builds = [build.RuntimeBuild() for _ in range(3)]
    together.wait(600)
    (path,) = {b.object() for b in builds}
    assert path.read_bytes() == b"object" and path.parent == tmp_path / "programs"
    # The first programs of all have no use for a header; those that come later make one.
    assert {b.precompiled(tmp_path) for b in builds} == {()}
    assert sorted(calls) == sorted([*map(str, sources), path.name])
    (flags,) = {build.RuntimeBuild().precompiled(tmp_path) for _ in range(3)}
    header = Path(f"{flags[1]}.gch")
    assert header.read_bytes() == b"object" and header.parent == tmp_path
    (made,) = (tmp_path / "headers").glob("*.gch")
    assert sorted(calls) == sorted([*map(str, sources), path.name, made.name])
    # Another run-time has what all have in common from the cache.
    calls.clear()
    together = threading.Barrier(1)
    other = build.RuntimeBuild(build.RuntimeSources((*build.COMMON, build.CUDA_RESULTS))).object()
    assert sorted(calls) == sorted([str(build.CUDA_RESULTS), other.name])


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


PROGRAM = "#include <acrobat/generated.h>\n"
# A header that is in the precompiled one, and one that includes such headers again.
AGAIN = ("lists.h", "schedule.h")
CODE = """
int count(const std::vector<int>& numbers) { return static_cast<int>(numbers.size()); }
void finish(acrobat::Context& cx) { cx.enter(); }
"""


@pytest.mark.slow
@pytest.mark.parametrize("precompiled", [True, False])
def test_the_precompiled_header_changes_no_instruction(tmp_path: Path, precompiled: bool) -> None:
    """Also not if it was made from a copy of the headers in another place, of another time: a cache
    is shared between checkouts."""
    copy, source, made = tmp_path / "copy", tmp_path / "program.cc", tmp_path / "program.s"
    shutil.copytree(build.INCLUDE, copy, copy_function=shutil.copyfile)
    more = [h.relative_to(build.INCLUDE) for h in build.INCLUDE.rglob("*.h") if h.name in AGAIN]
    assert len(more) == len(AGAIN)
    source.write_text(PROGRAM + "".join(f"#include <{h}>\n" for h in more) + CODE)
    build.RuntimeBuild().object()
    header = build.RuntimeBuild().precompiled(tmp_path) if precompiled else ()
    assert bool(header) == precompiled
    compiler, _ = find_compiler()
    done = subprocess.run(
        [compiler, *compiler_flags(), *header, "-S", "-H", f"-I{copy}", source, "-o", made],
        capture_output=True,
        text=True,
        check=True,
    )
    used = [line for line in done.stderr.splitlines() if line.startswith("! ")]
    assert used == [f"! {path}.gch" for path in header[1:]]
    plain = tmp_path / "plain.s"
    plainly: list[str | Path] = [
        compiler,
        *compiler_flags(),
        "-S",
        f"-I{build.INCLUDE}",
        source,
        "-o",
        plain,
    ]
    subprocess.run(plainly, check=True)
    assert made.read_text() == plain.read_text()


def test_without_a_precompiled_header_a_program_is_compiled_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(key: str) -> Path:
        raise ToolchainError("no space left")

    build.RuntimeBuild().object()
    monkeypatch.setattr(build, "_precompile", fail)
    assert build.RuntimeBuild().precompiled(tmp_path) == ()
    assert caplog.messages == ["there is no precompiled header: no space left"]
