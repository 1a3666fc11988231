"""The registry, what systems say no to, and that none of it imports anything heavy."""

from __future__ import annotations

import dataclasses
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

import baselines
import workloads
from baselines import registry, torch_eager
from baselines.api import Problem, Supported, Unsupported

PROBLEM = Problem("treelstm", "tiny", 1, 0, "cpu", 1, "full", None, [])

ELSEWHERE = """
from baselines.api import Supported
from baselines.system_record import Look, SystemRecord

class Quick:
    VARIANTS = ("full",)
    @staticmethod
    def supports(problem):
        return Supported()

RECORD = SystemRecord("quick", Quick, 900, ("full",), "Quick", "quick", "Quick", Look("red", "*"))
"""


def test_names() -> None:
    assert baselines.names()[:2] == ("acrobat", "dynet") and "floor" in baselines.names()
    for name in baselines.names():
        assert baselines.variants(name)


@pytest.mark.parametrize("function", [baselines.get, baselines.variants, baselines.sources])
def test_unknown_system(function: object) -> None:
    with pytest.raises(ValueError) as error:
        function("torch_batch")  # type: ignore[operator]
    assert str(error.value) == (
        f"there is no system 'torch_batch'; there is {', '.join(baselines.names())}. "
        "Did you mean 'torch_batched'?"
    )


def test_supports_imports_nothing_heavy() -> None:
    code = """
import sys, baselines, workloads
from baselines.api import NotBuilt, Problem, Supported
from tests.baselines.installed import lacking
for name in baselines.names():
    for variant in baselines.variants(name) if name != "dynet" else ["wheel-autobatch1"]:
        problems = (Problem(w, "tiny", 1, 0, "cpu", 1, variant, None, []) for w in workloads.NAMES)
        answers = [baselines.get(name).supports(problem) for problem in problems]
        lack = lacking(name)
        if lack and baselines.record(name).environment:
            assert NotBuilt(f"{name}: {lack}") in answers, (name, variant)
        if lack:
            assert Supported() not in answers, (name, variant)
        else:
            assert Supported() in answers, (name, variant, answers)
heavy = {"torch", "jax", "tvm", "dynet", "_dynet", "tensorflow", "dgl"} & set(sys.modules)
assert not heavy, heavy
"""
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert child.returncode == 0, child.stderr


@pytest.mark.parametrize(
    ("system", "change", "reason"),
    [
        (
            "torch_eager",
            {"workload": "mvrmm"},
            "torch_eager has no model for the workload 'mvrmm'; it has "
            f"{', '.join(torch_eager.WORKLOADS)}",
        ),
        ("floor", {"device": "tpu"}, "floor runs on cpu, cuda, not on 'tpu'"),
        (
            "floor",
            {"variant": "launches"},
            "floor's variant 'launches' counts launches of a GPU's kernels",
        ),
        (
            "torch_compile",
            {"variant": "graphs"},
            "torch_compile's variant 'graphs' is CUDA graphs: it needs a GPU",
        ),
        (
            "torch_compile",
            {"variant": "graphs", "device": "cuda"},
            "torch_compile has no CUDA graphs of treelstm: its regions write into tables in place",
        ),
        (
            "cortex",
            {"device": "cuda", "variant": "unroll"},
            "cortex has nothing to unroll on a GPU: what is unrolled is a thread's share of "
            "several levels, and the programs of the persistent kernel have none",
        ),
        ("acrobat", {"device": "tpu"}, "acrobat runs on cpu, cuda, not on 'tpu'"),
        (
            "acrobat",
            {"variant": "precision=tf32"},
            "acrobat, variant 'precision=tf32': Options.precision='tf32': the CPU computes in fp32 "
            "only, or, if it has AMX, in bf16; pass target='cuda'",
        ),
        (
            "acrobat",
            {"device": "cuda", "variant": "executor=vm"},
            "acrobat, variant 'executor=vm': Options.executor='vm': the interpreter runs on the "
            "CPU only; pass target='cpu'",
        ),
        (
            "dynet",
            {"device": "cuda", "variant": "wheel-autobatch1"},
            "dynet runs on cpu, not on 'cuda'",
        ),
        (
            "torch_batched",
            {"variant": "x"},
            "torch_batched has no variant 'x'; it has full, nn, maximum, bf16",
        ),
        (
            "torch_batched",
            {"variant": "nn"},
            "torch_batched has no variant 'nn' of treelstm: PyTorch has no module for its "
            "recursion",
        ),
        (
            "dynet",
            {},
            "dynet has no variant 'full'; it has autobatch0, autobatch1, autobatch2, autobatch3, "
            "autobatch0-lockstep, autobatch1-lockstep, autobatch2-lockstep, autobatch3-lockstep, "
            "wheel-autobatch0, wheel-autobatch1, wheel-autobatch2, wheel-autobatch3",
        ),
        (
            "cortex",
            {"workload": "drnn"},
            "cortex cannot express drnn: what is computed next depends on the values of tensors, "
            "so there is no shape to lay out",
        ),
        (
            "cortex",
            {"workload": "birnn", "variant": "refactor"},
            "cortex has nothing to refactor in a sequence: a step has one child, whose step would "
            "only take over all of its work",
        ),
        (
            "cortex",
            {"workload": "mvrnn", "variant": "project"},
            "cortex has nothing to project in a tree: its leaves are a dense batch as it is",
        ),
        (
            "acrobat",
            {"variant": "gather_fusion"},
            "acrobat has no variant 'gather_fusion': expected option=value, found 'gather_fusion'",
        ),
        (
            "acrobat",
            {"variant": "gather_fusion=off,gather_fusion=on"},
            "acrobat has no variant 'gather_fusion=off,gather_fusion=on': option 'gather_fusion' "
            "is given twice",
        ),
        (
            "acrobat",
            {"variant": "threads=2"},
            "acrobat has no variant 'threads=2': option 'threads' is set by the measurement, not "
            "by the variant",
        ),
        (
            "acrobat",
            {"variant": "gather_fusion=perhaps"},
            "acrobat has no variant 'gather_fusion=perhaps': option gather_fusion='perhaps': "
            "write true or false",
        ),
        (
            "acrobat",
            {"workload": "x"},
            f"acrobat has no model for the workload 'x'; it has {', '.join(workloads.ALL)}",
        ),
    ],
)
def test_reasons(system: str, change: dict[str, str], reason: str) -> None:
    problem = dataclasses.replace(PROBLEM, **change)  # type: ignore[arg-type]
    assert baselines.get(system).supports(problem) == Unsupported(reason)


@pytest.mark.parametrize(
    ("system", "variant"),
    [
        ("acrobat", "full"),
        ("dynet", "autobatch1"),
        ("torch_eager", "full"),
        ("torch_batched", "full"),
        ("torch_compile", "unfrozen"),
        ("floor", "launches"),
    ],
)
def test_without_a_gpu_the_driver_is_the_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, system: str, variant: str
) -> None:
    monkeypatch.setenv("ACROBAT_LIBCUDA", str(tmp_path / "libcuda.so.1"))
    problem = dataclasses.replace(PROBLEM, device="cuda", variant=variant)
    assert baselines.get(system).supports(problem) == Unsupported(
        f"{system}: there is no NVIDIA driver: {tmp_path}/libcuda.so.1: cannot open shared object "
        f"file: No such file or directory"
    )


def test_a_missing_package_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    dynet = baselines.get("dynet")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    problem = dataclasses.replace(PROBLEM, variant="wheel-autobatch1")
    assert dynet.supports(problem) == Unsupported(
        "dynet needs the Python module 'dynet', which is not installed; pip install dynet38"
    )


def test_a_record_says_what_its_system_is() -> None:
    for name, record in baselines.records().items():
        assert record.name == name and all(
            importlib.util.find_spec(f"baselines.{part}") for part in record.built_on
        )
        known = baselines.all_variants(name)
        assert not known or set(record.variants) <= set(known)
    for what in ("colour", "marker"):
        owners: dict[str, str] = {}
        for name, record in baselines.records().items():
            value = getattr(record.look, what)
            other = owners.setdefault(value, name)
            assert other == name, f"the {what} {value} of {name} is that of {other}"
    assert baselines.record("floor").is_limit and not baselines.record("acrobat").family


def test_a_system_of_another_distribution(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.py").write_text(ELSEWHERE)
    info = tmp_path / "elsewhere-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: elsewhere\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[acrobat.systems]\nquick = elsewhere:RECORD\n")
    monkeypatch.syspath_prepend(tmp_path)
    registry._discovered.cache_clear()
    try:
        assert baselines.names()[-1] == "quick"
        assert baselines.get("quick").supports(PROBLEM) == Supported()
        assert tmp_path / "elsewhere.py" in baselines.sources("quick")
    finally:
        registry._discovered.cache_clear()


def test_acrobat_variants_are_options() -> None:
    from acrobat import Options
    from baselines.acrobat import System, read_variant

    assert read_variant("full") == Options()
    variant = "kernel_fusion=off, scheduler=runtime_depth"
    assert read_variant(variant) == Options(kernel_fusion=False, scheduler="runtime_depth")
    assert System.supports(dataclasses.replace(PROBLEM, variant=variant)) == Supported()


def test_acrobat_variants_may_be_tuned() -> None:
    from acrobat import OptionError, Options
    from baselines.acrobat import System, Tuned, read_tuning, read_variant

    assert read_tuning("full") is read_tuning("autoschedule=off") is None
    assert read_tuning("tune=60") == Tuned(60.0, pgo=True)
    assert read_tuning("tune=7.5,pgo=off") == Tuned(7.5, pgo=False)
    assert read_variant("tune=5,pgo=off,hoisting=off") == Options(hoisting=False)
    for variant, reason in (
        ("pgo=off", "pgo says where tuning time goes: it needs tune=SECONDS"),
        ("tune=5,pgo=no", "pgo='no': write on or off"),
        ("tune=x", "tune='x': write a number of seconds, from 1 to 3600"),
        ("tune=0", "tune='0': write a number of seconds, from 1 to 3600"),
        ("tune=nan", "tune='nan': write a number of seconds, from 1 to 3600"),
    ):
        with pytest.raises(OptionError) as error:
            read_variant(variant)
        assert str(error.value) == reason
    problem = dataclasses.replace(PROBLEM, variant="tune=5")
    assert System.supports(problem) == Supported()
    on_gpu = dataclasses.replace(problem, device="cuda")
    assert System.supports(on_gpu) == Unsupported("acrobat tunes kernels on the CPU only")


def test_sources() -> None:
    here = Path(baselines.__file__).parent
    names = {p.relative_to(here).as_posix() for p in baselines.sources("dynet")}
    assert {"dynet/__init__.py", "dynet/treelstm.py", "dynet/wheel.py", "shared/trees.py"} <= names
    assert not {"floor/__init__.py", "torch_eager/__init__.py", "acrobat/__init__.py"} & names
    assert here / "floor" / "__init__.py" in baselines.sources("floor")
    assert here / "torch_batched" / "drnn.py" in baselines.sources("torch_compile")
    assert all(p.is_file() for p in baselines.sources("acrobat"))
