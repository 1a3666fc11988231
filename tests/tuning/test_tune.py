"""From a compiled model to schedules in the cache, and from there into the next compilation."""

from __future__ import annotations

import io
import re
import shutil
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor, cli, ops
from acrobat.cache import cache_dir
from acrobat.errors import CompilerBug
from acrobat.kernels.printers.cpu.rule import schedule_by_rule
from acrobat.kernels.printers.cpu.target import host_target
from acrobat.kernels.schedules import lookup, users
from acrobat.kernels.specification.spec import KernelSpec
from acrobat.tune_command import progress_bar
from acrobat.tuning import Found, Tuning, tune, whole_program
from acrobat.tuning.paired import Paired

STEPS = (3, 5, 2)


@ab.params
class Cell:
    w: Float32[Tensor, "2H H"]
    b: Float32[Tensor, "H"]
    start: Float32[Tensor, "H"]


@ab.data
class Items:
    items: list[Float32[Tensor, "H"]]


@ab.model
def last(p: Cell, x: Items) -> Float32[Tensor, "H"]:
    h = p.start
    for item in x.items:
        h = ops.tanh(ops.linear(ops.concat(h, item), p.w, p.b))
    return h


def made(executor: str = "aot") -> tuple[Any, list[Items]]:
    rng = np.random.default_rng(0)
    cell = Cell(w=rng.normal(0, 0.2, (48, 24)), b=rng.normal(size=24), start=rng.normal(size=24))
    drawn = [Items([rng.normal(size=24).astype(np.float32) for _ in range(n)]) for n in STEPS]
    return ab.compile(last, cell, "cpu", ab.Options(executor=executor, threads=1)), drawn


def always(speedup: float, tried: list[KernelSpec]) -> Any:
    """A search that takes another schedule than the rule's, and says that it is so much faster."""

    def search(spec: KernelSpec, target: Any, bench: Any, *_: object) -> Found:
        tried.append(spec)
        rule = schedule_by_rule(spec, target)
        other = replace(rule, unroll=4)
        assert bench.compare(other, 1) is not None
        classes = len(bench.calls)
        times = np.ones((7, classes)) * speedup, np.ones((7, classes))
        return Found(other, Paired(*times, (1.0,) * classes), 1, by_rule=speedup <= 1)

    return search


@pytest.fixture
def in_a_cache_of_its_own(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What is compiled stays where it is; only the database is this test's, and is gone after it:
    the cache outlives a run of the tests."""
    kind = f"schedules-of-{uuid.uuid4().hex}"
    monkeypatch.setattr(lookup, "KIND", kind)
    yield
    shutil.rmtree(cache_dir() / kind, ignore_errors=True)


@pytest.mark.slow
@pytest.mark.usefixtures("in_a_cache_of_its_own")
def test_what_is_found_is_used_by_the_next_compilation(monkeypatch: pytest.MonkeyPatch) -> None:
    fast, instances = made()
    tried: list[KernelSpec] = []
    monkeypatch.setattr("acrobat.tuning.tuner.search", always(1.5, tried))
    monkeypatch.setattr(
        "acrobat.tuning.tuner.compare_programs",
        lambda *_: Paired(np.full((7, 1), 1.5), np.ones((7, 1)), (1.0,)),
    )
    said: list[tuple[float, str]] = []
    done = tune(fast, instances, seconds=5.0, progress=lambda at, what: said.append((at, what)))
    assert isinstance(done, Tuning)
    assert fast.schedules == {}
    assert [s.unroll for s in done.model.schedules.values()] == [4] * len(tried)
    assert done.saved is not None
    assert done.model.tune_s == done.seconds > 0
    done.model(instances)
    assert done.model.last_profile.tune_s == done.seconds
    assert fast.tune_s == 0.0
    assert said[0] == (0.0, "profiling") and said[-1] == (1.0, "done")
    assert str(done).endswith(f"s, saved in {done.saved}")
    again, _ = made()
    assert again.schedules == done.model.schedules
    assert again.tune_s == 0.0
    want, got = fast(instances), again(instances)
    assert all(a.tobytes() == b.tobytes() for a, b in zip(want, got, strict=True))
    assert again.explain().count(", found by a search") == len(again.schedules)
    # Off is the rule; the texts of kernels say which they are.
    off = ab.compile(last, again.params, "cpu", replace(again.options, autoschedule=False))
    assert off.schedules == {}
    assert "T.unroll(T.int64(4))" in again.ir("kernels")
    assert off.ir("kernels") == fast.ir("kernels") != again.ir("kernels")


@pytest.mark.slow
@pytest.mark.usefixtures("in_a_cache_of_its_own")
def test_nothing_is_saved_that_makes_mini_batches_slower(monkeypatch: pytest.MonkeyPatch) -> None:
    fast, instances = made()
    monkeypatch.setattr("acrobat.tuning.tuner.search", always(1.5, []))
    monkeypatch.setattr(
        "acrobat.tuning.tuner.compare_programs",
        lambda *_: Paired(np.full((7, 1), 0.9), np.ones((7, 1)), (1.0,)),
    )
    done = tune(fast, instances, seconds=5.0)
    assert (done.saved, done.model.schedules) == (None, {})
    assert users(host_target()).entries == {}
    assert str(done).splitlines()[-1].endswith("s, nothing was saved")


@pytest.mark.slow
@pytest.mark.usefixtures("in_a_cache_of_its_own")
def test_what_does_not_hold_any_more_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    fast, instances = made()
    monkeypatch.setattr("acrobat.tuning.tuner.search", always(1.5, []))
    monkeypatch.setattr(
        "acrobat.tuning.tuner.compare_programs",
        lambda *_: Paired(np.full((7, 1), 1.5), np.ones((7, 1)), (1.0,)),
    )
    tuned = tune(fast, instances, seconds=5.0).model

    def rule(spec: KernelSpec, target: Any, *_: object) -> Found:
        return Found(schedule_by_rule(spec, target), None, 9, by_rule=True)

    monkeypatch.setattr("acrobat.tuning.tuner.search", rule)
    done = tune(tuned, instances, seconds=5.0)
    assert done.model.schedules == {}
    assert made()[0].schedules == {}
    lines = str(done).splitlines()
    assert all(line.endswith("the rule is as fast as any of 9") for line in lines[:-1])
    assert lines[-1].startswith("the rule serves every kernel: ")


def test_other_results_are_a_bug() -> None:
    fast, instances = made("vm")

    class Wrong:
        model = fast.model

        def __call__(self, instances: Sequence[Any]) -> list[Any]:
            results = fast(instances)
            results[1] = results[1] + np.float32(1e-7)
            return list(results)

    wrong: Any = Wrong()
    whole_program.check_results(fast, fast, [instances])
    with pytest.raises(CompilerBug, match=r"^tuned schedules change the results of last; nothing"):
        whole_program.check_results(fast, wrong, [instances])


def test_a_bar_goes_on_in_one_line_of_a_terminal() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal, file = Terminal(), io.StringIO()
    for to in (terminal, file):
        with progress_bar(to) as show:
            show(0.5, "cell")
            show(1.0, "done")
    assert re.search(r"\r 50%\|[#█]{15} {15}\| \d\d:\d\d cell", terminal.getvalue())
    assert re.search(r"\r100%\|[#█]{30}\| \d\d:\d\d done", terminal.getvalue())
    assert terminal.getvalue().endswith("\n")
    assert file.getvalue() == ""


def test_the_command_says_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["tune", "treelstm", "--size", "tiny", "--batch", "0"]) == 2
    assert capsys.readouterr().err == "acrobat tune: --batch 0: one instance is the least\n"
