"""Bounds are what is counted by what was measured, by hand."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import acrobat as ab
import acrobat.roofline
from acrobat import Float32, Tensor, cli, ops
from acrobat.roofline import (
    Machine,
    find_limits,
    limits_json,
    limits_table,
    limits_text,
    measure_machine,
)
from acrobat.roofline import blocks as roofline_blocks
from tests.programs.reference_kernels import reference_kernels

MACHINE = Machine("a CPU", 1, 100.0, 50.0, 20.0, 10.0, 1 << 20, 32 << 20)


@ab.data
class Word:
    vector: Float32[Tensor, "H"]


@ab.params
class Layer:
    w: Float32[Tensor, "H N"]


@ab.model
def project(p: Layer, word: Word) -> Float32[Tensor, "N"]:
    return ops.tanh(word.vector @ p.w)


@pytest.fixture
def traced() -> tuple[Any, list[Any]]:
    rng = np.random.default_rng(0)
    layer = Layer(w=rng.normal(size=(32, 48)))
    with reference_kernels():
        fast = ab.compile(project, layer, "cpu", ab.Options(executor="vm"))
        program: Any = fast.program
        words = [Word(rng.normal(size=32).astype(np.float32)) for _ in range(10)]
        return program.layout, [program.trace(program.convert(words)) for _ in range(3)]


def test_a_block_by_hand(traced: tuple[Any, list[Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    layout, calls = traced
    monkeypatch.setattr(roofline_blocks, "_milliseconds", lambda *_: np.array([0.001]))
    (limit,) = find_limits(layout, calls, MACHINE)
    assert (limit.batches, limit.rows) == (1, 10)
    assert limit.flops == 10 * 2 * 32 * 48
    assert limit.weight_bytes == 4 * 32 * 48
    (kernel,) = layout.blocks[0].kernels
    stored = replace(kernel, spec=replace(kernel.spec, weight_type="bf16"))
    narrow = replace(layout, blocks=(replace(layout.blocks[0], kernels=(stored,)),))
    assert find_limits(narrow, calls, MACHINE)[0].weight_bytes == 2 * 32 * 48
    assert (limit.weights_from, limit.nodes_from) == ("L2", "L2")
    assert limit.node_bytes == 10 * 4 * (32 + 48)
    # 30720 operations at 100 GF/s take 0.31 us; 6 KB and 3.2 KB at 50 GB/s less.
    assert limit.bound == "arithmetic"
    assert limit.bound_ms == pytest.approx(30720 / 100 / 1e6)
    assert limit.share == pytest.approx(0.3072)
    assert limit.gflops == pytest.approx(30.72)


def test_few_rows_are_bound_by_their_weights(traced: tuple[Any, list[Any]]) -> None:
    layout, calls = traced
    slow = replace(MACHINE, l2_bytes=0, l3_bytes=0, memory_gb_s=1.0)
    (limit,) = find_limits(layout, calls, slow)
    assert (limit.bound, limit.weights_from) == ("reading", "memory")
    assert limit.bound_ms == pytest.approx((limit.weight_bytes + limit.node_bytes) / 1e6, rel=1e-6)


def test_only_weights_that_are_read_meanwhile_need_room() -> None:
    order = np.array([0, 0, 1, 0, 2, 1, 1])
    sizes = roofline_blocks._working_sets(order, [10, 200, 3000])
    assert sizes.tolist() == [3210, 10, 3210, 210, 3210, 3210, 200]


def test_what_fits_stays_in_the_nearer_caches() -> None:
    assert [MACHINE.level(n << 20) for n in (1, 2, 32, 33)] == ["L2", "L3", "L3", "memory"]
    # 50 GB/s from 1 MiB, 20 from the next 31, and 10 from what is left.
    assert MACHINE.gb_s(1 << 20) == 50.0
    assert MACHINE.gb_s(2 << 20) == pytest.approx(2 / (1 / 50 + 1 / 20))
    assert MACHINE.gb_s(64 << 20) == pytest.approx(64 / (1 / 50 + 31 / 20 + 32 / 10))
    assert replace(MACHINE, threads=2).gb_s(2 << 20) == 50.0


def test_as_text_and_as_json(
    traced: tuple[Any, list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    layout, calls = traced
    monkeypatch.setattr(roofline_blocks, "_milliseconds", lambda *_: np.array([0.001]))
    limits = find_limits(layout, calls, MACHINE)
    head, titles, line, total = limits_text(MACHINE, limits).splitlines()
    assert head == (
        "a CPU, 1 thread: multiply-adds 100 GF/s; reading from L2 50 GB/s, L3 20, memory 10"
    )
    assert titles.split() == [
        *("block", "batches", "rows", "MF", "MB", "took", "ms", "GF/s"),
        *("bound", "ms", "bound", "share"),
    ]
    assert line.split()[1:] == [
        *("1", "10", "0.0", "0.0", "0.001", "30.7", "0.000"),
        *("arithmetic", "31%"),
    ]
    assert total == "all blocks: 0.001 ms, bound 0.000 ms: 31% of it"
    record = json.loads(limits_json(MACHINE, limits))
    assert record["machine"]["gflops"] == 100.0
    assert record["blocks"][0]["share"] == pytest.approx(0.3072)


def test_a_line_for_each_mini_batch(
    traced: tuple[Any, list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    layout, calls = traced
    monkeypatch.setattr(roofline_blocks, "_milliseconds", lambda *_: np.array([0.001]))
    limits = find_limits(layout, calls, MACHINE)
    _, _, head, rule, line = limits_table(MACHINE, {("cell", "tiny", 10): limits}).splitlines()
    assert head.count("|") == rule.count("|") == line.count("|") == 13
    assert [cell.strip() for cell in line.split("|")[1:-1]] == [
        *("cell, tiny, 10", "0", "0.0", "0.001", "31", "0.000", "31%"),
        *(f"`{limits[0].name}`", "10", "arithmetic", "31%", "31%"),
    ]


def test_the_machine_is_measured() -> None:
    """Only what no disturbance changes: that caches are no slower than memory by far, and that the
    units multiply more than one number a nanosecond."""
    machine = measure_machine(1)
    assert machine.gflops > 1
    assert machine.l2_gb_s > 0.5 * machine.memory_gb_s > 0
    assert machine.l3_bytes > machine.l2_bytes > 0
    sizes = subprocess.run(["getconf", "LEVEL2_CACHE_SIZE"], capture_output=True, text=True)
    assert machine.l2_bytes == (int(sizes.stdout.strip() or 0) or 1 << 20)  # or not known


def test_the_command_says_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["limits", "treelstm", "--size", "tiny", "--batch", "0"]) == 2
    assert capsys.readouterr().err == "acrobat limits: --batch 0: one instance is the least\n"


@pytest.mark.slow
@pytest.mark.usefixtures("small_kernels")
def test_the_command_counts_weights_as_they_are_stored(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(acrobat.roofline, "measure_machine", lambda threads: MACHINE)
    found = {}
    for stored in ab.Options.__dataclass_fields__["weights"].metadata["choices"]:
        command = ["limits", "treelstm", "--size", "tiny", "--batch", "2", "--weights", stored]
        assert cli.main([*command, "--json"]) == 0
        blocks = json.loads(capsys.readouterr().out)["blocks"]
        found[stored] = sum(b["weight_bytes"] for b in blocks)
    assert found["fp32"] == 2 * found["bf16"] == 4 * found["int8"] > 0
