"""The cycle model of GPUs, against sums by hand, and what it takes from a probe."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

pytest.importorskip("triton")

from acrobat.kernels.printers.cuda.compile import LOCKED_TRITON, triton_version
from acrobat.kernels.printers.cuda.compiled import CudaVariant
from acrobat.kernels.specification.spec import KernelSpec
from harness.gpu import probe
from harness.gpu.driver import Driver
from harness.gpu.model import on_chip
from harness.gpu.model.chip import CHIPS, Chip, Constants, constants_of
from harness.gpu.model.schedule import MiniBatch, Step
from harness.gpu.model.tile_cost import Costs, TileCost
from harness.gpu.model.times import predict, stage_time
from harness.gpu.predict import HEADERS, MODES, cells, rows_of, write_page
from tests.kernels.kernel_specs import cell

SPEC = cell(16, 8)
# A cycle is a nanosecond, and the L2 cache gives all that is wanted.
CHIP = Chip("chip", 90, 10, 1.0, 1, 1e6)
CONSTANTS = Constants(issue=0.5, trip=1.0, grid_barrier=2.0, launch=3.0, early=1.5, host=5.0)


def costs(persistent: bool = True, **changed: Any) -> Costs:
    """Tiles of 16 rows, 1000 instructions, two at once on a multiprocessor."""
    variant = CudaVariant(Path(), "cell", 1, 16, 1, 4, 0)
    how: dict[str, Any] = {"instructions": 1000.0, "products": 100.0, "bytes": 0.0, **changed}
    tile = TileCost(variant, warps=4, resident=2, **how)
    return Costs({SPEC.name: (tile,)}, persistent)


def us(nodes: int, chip: Chip = CHIP, **changed: Any) -> float:
    return stage_time([Step(SPEC, nodes)], costs(**changed), chip, CONSTANTS)[0]


def test_tiles_of_a_stage() -> None:
    # A warp per scheduler, which issues every second cycle.
    assert us(1) == us(160) == pytest.approx(2.0)
    # Two tiles: 2000 instructions of each scheduler, 0.9 per cycle at best.
    assert us(161) == us(320) == pytest.approx(2.0 / 0.9)
    # A third one runs after the first of its program.
    assert us(321) == pytest.approx(max(3.0 / 0.9, 4.0))
    # Products that take two cycles, and bytes: 64 in a cycle.
    slow = Chip("slow", 80, 10, 1.0, 20, 1e6)
    assert us(1, slow) == pytest.approx(4.0)
    assert us(1, bytes=64 * 7000.0) == pytest.approx(7.0)
    assert us(160, Chip("narrow", 90, 10, 1.0, 1, 1e-3), bytes=1000.0) == pytest.approx(10.0)


def test_a_mini_batch() -> None:
    step = Step(SPEC, 16)
    batch = MiniBatch([[[step], [step, step]], [[step]]], 1)
    found = predict(batch, costs(), CHIP, CONSTANTS)
    # Two launches; a grid barrier between the stages of the first, one load behind it, 3 before.
    # A grid barrier more for what the decision needs, and two loads.
    assert (found.stages, found.order) == (3, 2 * 3.0 + 2.0 + 2.0)
    assert found.trips == 3.0 + 1.0 + 3.0 + 2.0
    assert found.host == 10.0 and found.tiles == pytest.approx(6.0)
    assert found.instructions == pytest.approx(4 * 4 * 1000 / 1e6)
    launched = predict(batch, costs(persistent=False), CHIP, CONSTANTS)
    # The first of each computation, two behind a kernel, and one that stores a value.
    assert (launched.stages, launched.order) == (4, 2 * 3.0 + 2 * 1.5 + 3.0)
    assert launched.trips == 2 * 2.0 + 2 * 1.0 + 2.0
    assert launched.total == pytest.approx(12.0 + 8.0 + 8.0 + 10.0)
    older = predict(batch, costs(persistent=False), replace(CHIP, arch=80), CONSTANTS)
    assert (older.order, older.trips) == (4 * 3.0 + 3.0, 4 * 2.0 + 2.0)


def test_weights_on_chip() -> None:
    """Not built. 128 multiprocessors, of which each has a thirty-second of the columns and a
    quarter of the rows."""
    spec, chip = cell(256, 256), replace(CHIP, processors=132)
    k = [t.k for gate in spec.gates for t in gate.terms]
    assert on_chip.weight_bytes([spec]) == 4 * 8 * sum(k)
    assert on_chip.fits([spec], chip) and not on_chip.fits([spec], CHIP)
    assert not on_chip.fits([spec] * 20, chip)
    took, issued, read = on_chip.stage_time([Step(spec, 64)], chip)
    rest = 8 * (12 * 16 * len(spec.gates) + 300)
    assert took == pytest.approx((16 * 8 * sum(k) / 32 / 0.75 + rest) / 4 / 0.9 / 1e3)
    assert issued == pytest.approx(took * 0.9 * 4 * 128 * 1e3)
    operands = {(t.operand, t.offset): t.k for gate in spec.gates for t in gate.terms}
    assert read == 4 * 16 * sum(operands.values()) * 128


def test_constants_of_a_probe(tmp_path: Path) -> None:
    path = tmp_path / "probe.json"
    path.write_text(json.dumps({"constants": {"trip": 0.5, "issue": 0.7}}))
    found = constants_of(path)
    assert found == Constants(trip=0.5, issue=0.7, measured=True) != Constants()
    assert (found.rate(1), found.rate(2)) == (0.7, 0.9)
    assert {c.arch for c in CHIPS.values()} == {80, 86, 90}


class Timed:
    """A driver whose launches take a microsecond each, and one more per thread block."""

    processors = 66

    def __init__(self) -> None:
        self.launched: list[tuple[int, list[int], bool]] = []

    def attribute(self, number: int) -> int:
        return self.processors

    def load(self, code: str, symbol: str, shared: int = 0) -> str:
        return symbol

    def place(self, values: Any) -> int:
        return 1 << 20

    def place_at(self, address: int, values: Any) -> int:
        self.links = values
        return address

    def launch(
        self, function: str, grid: tuple[int, int], threads: int, parameters: list[Any],
        shared: int = 0, together: bool = False,
    ) -> None:  # fmt: skip
        self.launched.append((grid[0], [p.value for p in parameters], together))

    def launch_early(self, function: str, threads: int) -> None:
        self.launched.append((1, [], False))

    def time(self, work: Callable[[], None], repeat: int = 1, rounds: int = 9) -> float:
        self.launched.clear()
        work()
        return sum(1.0 + blocks for blocks, *_ in self.launched)


def driver() -> tuple[Timed, Driver]:
    timed = Timed()
    return timed, cast(Driver, timed)


def test_grid_barriers_count_on_from_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "PROGRAMS", (32, 132, 264))
    timed, given = driver()
    found = probe.grid_barriers(given)
    # More than two programs per multiprocessor might not fit.
    assert found == {"32": 33 / 1000, "132": 133 / 1000}
    [(blocks, (_, counted, rounds), together)] = timed.launched
    assert (blocks, counted, rounds, together) == (132, 32 * 1000, 1000, True)


def test_links_go_through_all_lines() -> None:
    timed, given = driver()
    assert probe.trip(given) == pytest.approx(2 / 4096)
    seen, at = set(), 0
    while at not in seen:
        seen.add(at)
        at = (int(timed.links[16 * at]) - (1 << 20)) // 128
    assert len(seen) == 4096


def test_launches() -> None:
    _, given = driver()
    assert probe.launches(given, 80) == {"launch": 2.0, "cooperative": 2.0}
    assert probe.launches(given, 90) == {"launch": 2.0, "cooperative": 2.0, "early": 2.0}


def test_what_is_left_of_a_tile_is_instructions(monkeypatch: pytest.MonkeyPatch) -> None:
    spec: KernelSpec = SPEC
    one = costs().tiles[spec.name][0]
    known = Costs({probe._JUDGE: (one,)}, False)
    monkeypatch.setattr(probe, "costs", lambda *arguments: known)
    row = {"kernel": probe._JUDGE, "rows": 16, "nodes": 16, "us": 5.0}
    # 5 - 2 - 2 x 0.5 microseconds, of 1000 cycles each, for 1000 instructions.
    found = probe.issue([row], [spec], 90, 1.0, {"launch": 2.0, "trip": 0.5})
    assert found == pytest.approx(0.5)


def test_places_of_parameters() -> None:
    """As the kernels are promised them: an address is 8 bytes, the number of rows is 4."""
    from harness.gpu.cells import arguments_of, cell_kernels

    _, given = driver()
    spec = cell_kernels()["treelstm"][0]
    kernel = type("Kernel", (), {"weight_floats": 8, "vector_floats": 8})()
    found = arguments_of(given, spec, kernel, 3)
    assert len(found) == 5 + 2 * len(list(spec.indexed)) + 2
    assert [ctypes.sizeof(p) for p in found[:5]] == [8, 8, 4, 8, 8]
    assert found[2].value == 3 * spec.rows


@pytest.mark.slow
@pytest.mark.skipif(triton_version() != LOCKED_TRITON, reason="another Triton")
def test_the_page_of_predictions() -> None:
    """Two of its cells, of a workload that has no trees of the treebank; and it says what it is."""
    page = Path(__file__).parents[2] / "docs" / "predicted.md"
    rows = rows_of(page)
    found = [list(map(str, row)) for row in cells(["drnn"], ["small"], [8], ["H100"], MODES,
                                                  Constants())]  # fmt: skip
    assert len(found) == 2 and all(row in rows for row in found)
    assert {row[2] for row in rows} == {"H100, H200", "A100", "RTX 3070"}
    assert all(len(row) == len(HEADERS) for row in rows) and HEADERS[-1].endswith("predicted")
    assert "none has been measured" in page.read_text()


def test_a_page_keeps_what_it_does_not_renew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fake(names: list[str], *arguments: Any) -> list[list[object]]:
        return [[name, *arguments[0][:1], *["x"] * (len(HEADERS) - 2)] for name in names]

    monkeypatch.setattr("harness.gpu.predict.cells", fake)
    path = tmp_path / "page.md"
    for names in (["birnn"], ["treelstm", "berxit"], ["birnn"]):
        write_page(path, names, Constants())
    assert [row[0] for row in rows_of(path)] == ["treelstm", "birnn", "berxit"]
