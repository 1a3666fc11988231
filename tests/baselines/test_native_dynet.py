"""DyNet's native build. The tests of its results need it: `python -m baselines.dynet.build`."""

from __future__ import annotations

import dataclasses
import hashlib
import importlib.metadata
import shutil
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest

import baselines
from acrobat.errors import ToolchainError
from acrobat.kernels.printers.cpu.target import CpuTarget
from baselines.api import NotBuilt, Problem, Unsupported
from baselines.dynet import blas, cpu, cuda, sources
from baselines.dynet.arrays import weight_arrays, write_arrays
from baselines.dynet.cuda import build_cuda
from baselines.dynet.forms import WORKLOADS
from baselines.dynet.native_system import DECIDING
from baselines.dynet.sources import compiler, tool
from tests.baselines.children import ask, end

CHILD = Path(__file__).with_name("run_dynet_forms.py")
needs_build = pytest.mark.skipif(cpu.built() is None, reason="DyNet is not built natively")


CASES = [(name, f"autobatch{n}") for n in range(4) for name in WORKLOADS]
CASES.remove(("nestedrnn", "autobatch3"))
CASES.remove(("treelstm_childsum", "autobatch3"))
CASES += [(name, f"autobatch{n}-lockstep") for n in range(1, 4) for name in DECIDING]


@needs_build
@pytest.mark.parametrize(("name", "variant"), CASES)
def test_results_are_the_references_in_every_form(name: str, variant: str) -> None:
    end()  # DyNet is set up once per process
    rows = ask(CHILD, variant, name, "1", "2", "7", "64")
    assert {row["batch"] for row in rows} == {1, 2, 7, 64}
    for row in rows:
        assert row["outputs"] == row["batch"] and row["same_structure"], row
        assert row["error"] <= 1e-4, row
        # Without autobatching every node is a batch of its own.
        if variant == "autobatch0":
            assert row["n_batches"] == row["n_nodes"], row
        elif row["batch"] == 64 and name not in DECIDING:
            assert 0 < row["n_batches"] < row["n_nodes"] / 2, row
        assert (row["n_syncs"] > 0) == (name in DECIDING), row


@needs_build
def test_what_was_left_out_says_so(tmp_path: Path) -> None:
    found = cpu.built()
    assert found is not None
    library = tmp_path / "libdynet.so"
    library.symlink_to(found[0])
    tree = sources.unpack(tmp_path)
    command = [tool("g++"), "-std=c++17", f"-I{tree.dynet}", f"-I{tree.eigen}"]
    command += [str(CHILD.with_name("left_out.cc")), str(library), f"-Wl,-rpath,{tmp_path}"]
    subprocess.run([*command, "-o", str(tmp_path / "left_out")], check=True)
    done = subprocess.run([str(tmp_path / "left_out")], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "DyNet was built without the gradient of Sqrt (confined.h)",
        "Log is not among the nodes that DyNet was built with (confined.h)",
    ]


def test_archives_come_from_a_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """For machines without a network; nothing else than PyPI's file is taken."""
    folder, archive = tmp_path / "packages", sources.EIGEN
    folder.mkdir()
    monkeypatch.setenv("ACROBAT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv(sources.PACKAGES, str(folder))
    with pytest.raises(ToolchainError) as caught:
        sources._fetch(archive)
    assert str(caught.value) == (
        f"{folder}/cmeel_eigen-3.4.1-0-py3-none-any.whl does not exist; ACROBAT_PACKAGES names the "
        f"folder of cmeel_eigen-3.4.1-0-py3-none-any.whl, which is the package cmeel-eigen==3.4.1"
    )
    (folder / archive.file).write_bytes(b"other")
    with pytest.raises(ToolchainError, match="it is another file than PyPI's"):
        sources._fetch(archive)
    good = dataclasses.replace(archive, sha256=hashlib.sha256(b"other").hexdigest())
    assert sources._fetch(good).read_bytes() == b"other"


def test_libraries_of_another_cuda_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    other = types.SimpleNamespace(version="12.8.4.1")
    monkeypatch.setattr(importlib.metadata, "distribution", lambda name: other)
    with pytest.raises(ToolchainError) as caught:
        cuda._package("nvidia-cublas")
    assert str(caught.value) == (
        "nvidia-cublas 12.8.4.1 is installed; DyNet is built with nvidia-cublas 13.0.0.19 for "
        "CUDA 13"
    )


def test_what_is_not_built_says_how(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ACROBAT_CACHE", str(tmp_path))
    problem = Problem("treelstm", "tiny", 1, 0, "cpu", 1, "autobatch2", None, [])
    assert baselines.get("dynet").supports(problem) == NotBuilt(
        "DyNet has not been built natively for this machine: python -m baselines.dynet.build; "
        "or measure the wheel's variants, 'wheel-autobatch2'"
    )


@needs_build
def test_a_known_crash_is_a_reason() -> None:
    problem = Problem("nestedrnn", "tiny", 2, 0, "cpu", 1, "autobatch3", None, [])
    assert baselines.get("dynet").supports(problem) == Unsupported(
        "DyNet's strategy 3 crashes on nestedrnn: it runs a kind of node only when none of it is "
        "left at its depth, and finds no such kind (exec.cc)"
    )


def test_lockstep_needs_decisions() -> None:
    problem = Problem("treelstm", "tiny", 1, 0, "cpu", 1, "autobatch1-lockstep", None, [])
    assert baselines.get("dynet").supports(problem) == Unsupported(
        "treelstm takes no decisions from values: there is nothing to do in lockstep"
    )


@pytest.fixture
def no_tools(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Nothing is on the path or beside Python; the folder that is beside it."""
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    return tmp_path


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("ninja", "pip install ninja"),
        ("cmake", "pip install cmake"),
        ("g++", "Debian and Ubuntu: apt-get install g++"),
    ],
)
def test_a_missing_tool_is_named(no_tools: Path, name: str, how: str) -> None:
    with pytest.raises(ToolchainError) as caught:
        tool(name)
    assert str(caught.value) == (
        f"{name} is needed to build DyNet and was not found; install it ({how}), or measure the "
        f"wheel's variants"
    )


def test_tools_are_those_beside_python(no_tools: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where pip puts them; a virtual environment need not be on the path."""
    other = no_tools / "other"
    other.mkdir()
    for folder in (other, no_tools):
        (folder / "ninja").touch(0o755)
        monkeypatch.setenv("PATH", str(other))
        assert tool("ninja") == str(folder / "ninja")


def test_steps_of_a_command_are_told_and_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ACROBAT_CACHE", str(tmp_path))
    lines: list[str] = []
    script = "import os; print(1); print(os.environ['STATUS'])"
    sources.run([sys.executable, "-c", script], lines.append, {"STATUS": "two"})
    log = tmp_path / "dynet" / "build.log"
    assert lines == ["1", "two"]
    assert log.read_text() == f"{sys.executable} -c {script}\n1\ntwo\n"
    with pytest.raises(ToolchainError) as caught:
        sources.run([sys.executable, "-c", "exit('broken')"])
    assert str(caught.value) == (f"{sys.executable} failed; the end of {log}:\n{log.read_text()}")
    assert log.read_text().endswith("\nbroken\n")


def test_the_build_depends_on_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    before = cpu._driver_key()
    monkeypatch.setattr(cpu, "compiler", lambda: "g++ 99.1")
    assert cpu._driver_key() != before


def test_the_build_depends_on_its_recipe(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = cpu._library_key()
    recipes = shutil.copytree(cpu.RECIPES, tmp_path / "cmake")
    monkeypatch.setattr(cpu, "RECIPES", recipes)
    assert cpu._library_key() == before
    with (recipes / "library" / "inference.h").open("a") as header:
        header.write("\n")
    assert cpu._library_key() != before


def test_without_a_compiler_nothing_is_built(no_tools: Path) -> None:
    compiler.cache_clear()
    assert cpu.built() is None


def test_what_a_build_for_a_gpu_needs_is_named(no_tools: Path) -> None:
    with pytest.raises(ToolchainError, match=r"^--cuda wants a GPU architecture such as sm_90, n"):
        build_cuda("h200", 1, print)
    with pytest.raises(ToolchainError) as error:
        build_cuda("sm_90", 1, print)
    assert str(error.value) == (
        "nvcc is needed to build DyNet and was not found; install NVIDIA's CUDA toolkit, version "
        "13, or build for the CPU"
    )


def test_arrays_are_float32_or_int32(tmp_path: Path) -> None:
    path = tmp_path / "arrays"
    write_arrays(path, {"a": np.array([[1, 2]], np.int32), "b": np.array([0.5], np.float32)})
    assert path.read_bytes() == (
        b"ARRAYS1\n"
        b"\x01\0\0\0ai\x02\0\0\0"
        + (1).to_bytes(8, "little")
        + (2).to_bytes(8, "little")
        + b"\x01\0\0\0\x02\0\0\0"
        b"\x01\0\0\0bf\x01\0\0\0" + (1).to_bytes(8, "little") + b"\0\0\0\x3f"
    )
    with pytest.raises(TypeError, match=r"^c is float64; the format has float32 and int32$"):
        write_arrays(path, {"c": np.zeros(1)})


def test_nested_weights_have_dotted_names() -> None:
    import workloads
    from workloads.data.source import TreeSource

    params = workloads.get("birnn").make_params("tiny", 0, TreeSource(None))
    assert {"emb", "forward.w", "backward.u", "w_out"} < set(weight_arrays(params))


@pytest.mark.parametrize(
    ("model", "asked", "expected"),
    [
        ("Intel(R) Xeon(R) Processor 143", "", "mkl"),
        ("AMD EPYC 9B45 17", "", "eigen"),
        ("Intel(R) Xeon(R) Processor 143", "eigen", "eigen"),
        ("AMD EPYC 9B45 17", "mkl", "mkl"),
    ],
)
def test_products_are_mkls_on_intels_cpus(
    monkeypatch: pytest.MonkeyPatch, model: str, asked: str, expected: str
) -> None:
    monkeypatch.setattr(blas, "host_target", lambda: CpuTarget(model, (), 16, 32))
    monkeypatch.setenv("ACROBAT_DYNET_BLAS", asked)
    assert blas.blas() == expected
    assert (blas.described() == "mkl 2026.2.0") == (expected == "mkl")


def test_the_build_depends_on_who_computes_products(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = set()
    for choice in ("eigen", "mkl"):
        monkeypatch.setenv("ACROBAT_DYNET_BLAS", choice)
        keys.add(cpu._library_key())
    assert len(keys) == 2
    monkeypatch.setenv("ACROBAT_DYNET_BLAS", "atlas")
    # Not: "has not been built".
    for refused in (blas.blas, cpu.built):
        with pytest.raises(ToolchainError) as caught:
            refused()
        assert str(caught.value) == (
            "ACROBAT_DYNET_BLAS='atlas': write 'eigen' or 'mkl', or leave it out"
        )
