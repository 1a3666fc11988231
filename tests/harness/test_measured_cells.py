"""A cell: whatever happens to a system, there is a row that says so."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

import baselines.registry
from harness.cell import Cell
from harness.host import describe
from harness.measure import measure_cell
from harness.row import Row
from harness.row_file import read_row
from tests.harness.fake_systems import FAKES, ROOT


@pytest.fixture
def measure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    (tmp_path / "sitecustomize.py").write_text(FAKES)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{ROOT}")
    monkeypatch.setenv("FAKE_LOG", str(tmp_path / "log"))
    monkeypatch.setattr(baselines, "sources", lambda name: [])
    monkeypatch.setattr(baselines.registry, "_added", {})
    exec(FAKES, {})

    def run(
        *systems: str,
        timeout_s: float = 60.0,
        device: str = "cpu",
        max_seconds: float = float("inf"),
        noisy_seconds: float = 0.0,
        tolerance: float = 1e-4,
        warmup: int = 1,
    ) -> list[Row]:
        return measure_cell(
            Cell(
                workload="treelstm",
                size="tiny",
                batch=2,
                threads=1,
                device=device,
                seed=0,
                sst_dir="generated",
                systems=tuple((f"fake_{s}", "full") for s in systems),
                min_samples=6,
                min_seconds=0.0,
                max_seconds=max_seconds,
                noisy_seconds=noisy_seconds,
                tolerance=tolerance,
                warmup=warmup,
                timeout_s=timeout_s,
                round_ms=2.0,
                pause_s=0.0,
            )
        )

    return run


@pytest.mark.slow
def test_a_good_system(measure, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (row,) = measure("good")
    assert (row.status, row.max_abs_err, row.data, row.threads) == ("ok", 0.0, "generated", 1)
    assert row.n_samples == len(row.samples_ms) >= 6
    assert row.min_ms is not None and row.median_ms is not None
    assert 1.0 <= row.min_ms <= row.median_ms
    assert row.throughput_inst_s == pytest.approx(2 / row.median_ms * 1e3)
    assert (row.graph_ms, row.n_nodes, row.versions["fake"]) == (1.5, 7, "1")
    assert (row.threads_used, row.precision, row.tolerance) == (3, "tf32", 1e-4)
    assert sum(row.rounds) == row.n_samples and len(row.rounds) >= 6
    assert row.doubt is not None and set(describe(None)) == set(row.host)
    assert 0 <= row.host["load_before"] <= 1 and 0 <= row.host["load_during"] <= 1
    assert read_row(row.write(tmp_path / "fake_good" / "full.json")) == row


@pytest.mark.slow
def test_a_cell_of_a_gpu(  # type: ignore[no-untyped-def]
    measure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Prepared at once, in the order of the cell; the first run of a round is not timed."""
    monkeypatch.setenv("ACROBAT_LIBCUDA", str(tmp_path / "none"))
    refuses, good, dies = measure("refuses", "good", "dies", device="cuda")
    assert [r.system for r in (refuses, good, dies)] == ["fake_refuses", "fake_good", "fake_dies"]
    assert [r.status for r in (refuses, good, dies)] == ["unsupported", "ok", "error"]
    assert good.device_name.startswith("none: there is no NVIDIA driver")
    runs = (tmp_path / "log").read_text().split().count("Good")
    assert runs > good.n_samples + good.n_warmup


@pytest.mark.slow
def test_what_chooses_by_timing_is_alone_on_a_gpu(measure, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    rows = measure("choosing", "other", device="cuda")
    assert [r.system for r in rows] == ["fake_choosing", "fake_other"]
    rounds = (tmp_path / "log").read_text().split()
    assert sum(a != b for a, b in itertools.pairwise(rounds)) == 1


@pytest.mark.slow
def test_systems_alternate(measure, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    measure("good", "other")
    rounds = (tmp_path / "log").read_text().split()[2:]  # behind both warm-ups
    changes = sum(a != b for a, b in itertools.pairwise(rounds))
    assert {"Good", "Other"} == set(rounds) and changes >= 6


@pytest.mark.slow
def test_everybody_follows_everybody(measure, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    measure("good", "other", "third")
    rounds = (tmp_path / "log").read_text().split()[3:]
    changes = {pair for pair in itertools.pairwise(rounds) if pair[0] != pair[1]}
    assert len(changes) == 6


@pytest.mark.slow
def test_systems_start_at_once_unless_they_choose_by_timing(  # type: ignore[no-untyped-def]
    measure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.measure.cores", lambda: 2)
    measure("startsalone", "starts", "startstoo")
    first, second, third, *last = (tmp_path / "log.starts").read_text().split()
    assert first != second and {first, second} == {"Starts", "StartsToo"} and third != "StartsAlone"
    assert last[1:] == ["StartsAlone", "StartsAlone"]


@pytest.mark.slow
def test_long_runs_are_warm_after_one(measure) -> None:  # type: ignore[no-untyped-def]
    short, long = measure("good", "long", max_seconds=1.0, warmup=3)
    assert (short.n_warmup, long.n_warmup) == (3, 1)


@pytest.mark.slow
def test_systems_that_run_out_of_memory_together_are_tried_alone(  # type: ignore[no-untyped-def]
    measure, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.measure.cores", lambda: 2)
    rows = measure("hungry", "greedy", "hungry2", "good")
    assert [(r.system, r.status) for r in rows] == [
        ("fake_hungry", "oom"),
        ("fake_greedy", "ok"),
        ("fake_hungry2", "oom"),
        ("fake_good", "ok"),
    ]


@pytest.mark.slow
def test_systems_that_do_not_fit_together_are_measured_apart(  # type: ignore[no-untyped-def]
    measure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = measure("good", "greedy", "other")
    assert [r.status for r in rows] == ["ok", "ok", "ok"]
    monkeypatch.setattr("harness.measure.free_memory", lambda: 0.1)
    (tmp_path / "log").unlink()
    rows = measure("good", "other")
    assert [r.system for r in rows] == ["fake_good", "fake_other"]
    rounds = (tmp_path / "log").read_text().split()
    assert sum(a != b for a, b in itertools.pairwise(rounds)) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "status", "reason"),
    [
        ("refuses", "unsupported", "no trees here"),
        ("undecided", "error", "LookupError: is it installed?"),
        ("raises", "error", "RuntimeError: broken on purpose (sitecustomize.py:"),
        ("hungry", "oom", "out of memory: 10 GiB for weights"),
        ("killed", "oom", "the process was killed (signal 9), as by lack of memory"),
        ("dies", "error", "the process ended with exit code 3: last words"),
    ],
)
def test_a_failing_system_is_a_row(measure, system: str, status: str, reason: str) -> None:  # type: ignore[no-untyped-def]
    failed, good = measure(system, "good")
    assert failed.status == status and failed.reason.startswith(reason)
    assert failed.median_ms is None and failed.max_abs_err is None
    assert good.status == "ok"


@pytest.mark.slow
def test_a_slow_system_is_measured_less_often(measure) -> None:  # type: ignore[no-untyped-def]
    (row,) = measure("good", max_seconds=1e-6)
    assert row.status == "ok" and 3 <= row.n_samples < 6


@pytest.mark.slow
def test_a_cell_in_doubt_is_measured_longer(  # type: ignore[no-untyped-def]
    measure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All its systems are, in the same rounds, until there is no doubt or no time."""
    monkeypatch.setattr("harness.doubt.WIDEST", -1.0)
    short = measure("good", "other")
    (tmp_path / "log").unlink()
    long = measure("good", "other", noisy_seconds=1.0)
    for before, after in zip(short, long, strict=True):
        assert "interval of the median is ±" in (after.doubt or "")
        assert after.n_samples > 2 * before.n_samples and sum(after.rounds) == after.n_samples
    rounds = (tmp_path / "log").read_text().split()[2:]
    assert sum(a != b for a, b in itertools.pairwise(rounds)) >= 12


@pytest.mark.slow
def test_a_cell_without_doubt_is_not(measure, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr("harness.doubt.WIDEST", float("inf"))
    monkeypatch.setattr("harness.doubt.MOST_LOAD", 1.0)
    (row,) = measure("good", noisy_seconds=60.0)
    assert row.doubt == "" and row.n_samples < 20


@pytest.mark.slow
def test_without_scipy_doubt_is_left_to_the_report(  # type: ignore[no-untyped-def]
    measure, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.doubt.can_resample", lambda: False)
    (row,) = measure("good", noisy_seconds=60.0)
    assert row.status == "ok" and row.doubt is None and row.n_samples < 20


@pytest.mark.slow
def test_the_tolerance_is_the_cells(measure) -> None:  # type: ignore[no-untyped-def]
    wrong, right = (measure("wrong", tolerance=t)[0] for t in (0.4, 0.6))
    assert (wrong.tolerance, wrong.right, wrong.outcome) == (0.4, False, "wrong")
    assert (right.tolerance, right.right, right.outcome, right.reason) == (0.6, True, "ok", "")


def test_a_timeout_is_a_row(measure) -> None:  # type: ignore[no-untyped-def]
    # However long the process takes to start, it does not answer the first request.
    (row,) = measure("hangs", timeout_s=0.5)
    assert (row.status, row.reason) == ("timeout", "no answer to 'prepare' within 0.5 s")


@pytest.mark.slow
def test_wrong_outputs_mark_the_row(measure) -> None:  # type: ignore[no-untyped-def]
    wrong, nan = measure("wrong", "nan")
    assert wrong.status == "ok" and wrong.max_abs_err == pytest.approx(0.5, abs=1e-3)
    assert wrong.reason == "max_abs_err 5.00e-01 over tolerance 0.0001"
    assert nan.status == "ok" and nan.reason == "max_abs_err nan over tolerance 0.0001"
    assert (wrong.outcome, nan.outcome) == ("wrong", "wrong")


@pytest.mark.slow
def test_what_a_system_prints_does_not_matter(measure) -> None:  # type: ignore[no-untyped-def]
    (row,) = measure("prints")
    assert row.status == "ok"
