"""The pipeline as data: what its records promise, and what can be seen of a compilation."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import acrobat as ab
import workloads
from acrobat.driver.records import Context
from acrobat.pipeline import PIPELINE, run_pipeline
from workloads.data.source import TreeSource
from workloads.treelstm import encode, make_params

PASSES = [p for stage in PIPELINE for p in stage.passes]

# These make another IR of what they get, or new variables.
MAKES_ANEW = {"typed", "specialise", "form_blocks", "specifications"}
# A second time these find something that they themselves have written (golden cases show that they
# leave alone a module that they have nothing to do with).
NOT_TWICE = {"infer_phases", "infer_parallelism"}


def test_names_are_unique_and_every_record_gives_its_reason() -> None:
    assert len({p.name for p in PASSES}) == len(PASSES)
    assert len({s.name for s in PIPELINE}) == len(PIPELINE)
    for text in (*(p.why for p in PASSES), *(s.purpose for s in PIPELINE)):
        assert re.fullmatch(r"[A-Z].+\.", text), text


@pytest.mark.parametrize("options", [ab.Options(), ab.Options.all_off()], ids=["on", "off"])
@pytest.mark.parametrize("name", workloads.NAMES)
def test_a_second_time_a_pass_returns_the_same_object(name: str, options: ab.Options) -> None:
    workload: Any = workloads.get(name)
    params = workload.make_params("tiny", 0, TreeSource(None))
    made = run_pipeline(workload.model, params, options).stages
    for p in PASSES:
        if p.name in made and p.name not in MAKES_ANEW | NOT_TWICE:
            again = p.function(made[p.name], *p.extra(Context(options, params)))
            assert again is made[p.name], p.name


def test_every_stage_prints_and_is_dumped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACROBAT_DUMP", str(tmp_path))
    params = make_params("tiny", 0, TreeSource(None))
    fast = ab.compile(encode, params)
    names = [p.name for p in PASSES if p.when(ab.Options())] + ["cpp", "kernels"]
    assert list(fast.compilation.stages) == names[:-2]
    files = sorted(p for p in (tmp_path / "encode").iterdir() if p.name != "times.txt")
    assert [f.stem for f in files] == [f"{i:02d}_{name}" for i, name in enumerate(names, 1)]
    for file, name in zip(files, names, strict=True):
        assert file.read_text() == fast.ir(name), name
    assert "shared w Tensor[64, 160]" in fast.ir("batched")
    assert "def encode(" in fast.ir("typed") and "encode" in fast.ir("cpp")
    for kernel in fast.kernels:
        assert kernel in fast.ir("specifications") and kernel in fast.ir("kernels")
    times = (tmp_path / "encode" / "times.txt").read_text().splitlines()
    assert [t.split()[2] for t in times] == [f.name for f in files]
    assert all(re.fullmatch(r" *\d+\.\d\d ms  \S+", t) for t in times)
    # Compiled again: a folder of its own.
    run_pipeline(encode, params, ab.Options.all_off())
    assert (tmp_path / "encode_2" / "01_typed.txt").exists()


def test_a_stage_that_is_not_there() -> None:
    fast = ab.compile(
        encode, make_params("tiny", 0, TreeSource(None)), options=ab.Options(speculation=False)
    )
    with pytest.raises(ValueError) as caught:
        fast.ir("nothing")
    off = ("compare_positions", "speculate", "without_phases")
    names = [p.name for p in PASSES if p.name not in off]
    assert str(caught.value) == (
        f"there is no stage 'nothing'; the stages are {', '.join(names)}, kernels, cpp"
    )
    with pytest.raises(ValueError) as caught:
        fast.ir("speculate")
    assert str(caught.value) == "the pass 'speculate' does not run with these options"
