"""Programs that tell each other something: the litmus tests that a persistent kernel rests on."""

from __future__ import annotations

import numpy as np
import pytest

from tests.ptx.compiled import Program
from tests.ptx.execution import Report, Stuck, launch_cooperatively
from tests.ptx.syntax import parse

DATA, FLAG, SEEN = 1 << 32, 2 << 32, 3 << 32
RUNS = 20
_KERNEL = """
.visible .entry litmus(
)
.reqntid 64
{{
  .reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, %ctaid.x;
  mul.wide.u32 %rd0, %r0, 4;
  add.s64 %rd1, %rd0, {data};
  add.s64 %rd2, %rd0, {seen};
  mov.b64 %rd3, {flag};
  setp.eq.s32 %p0, %r0, 0;
  setp.ne.s32 %p1, %r1, 0;
  @%p1 bra $reader;
  add.s32 %r2, %r0, 1;
  st.global.b32 [%rd1], %r2;
  {before}
  @%p0 {add} %rd4, [%rd3], 1;
  ret;
$reader:
  {stale}
$wait:
  @%p0 {poll} %rd5, [%rd3];
  @%p0 st.shared.b64 [0], %rd5;
  bar.sync 0;
  ld.shared.b64 %rd6, [0];
  {after}
  setp.eq.s64 %p2, %rd6, 0;
  @%p2 bra $wait;
  {load} %r3, [%rd1];
  st.global.b32 [%rd2], %r3;
  ret;
}}
"""
# Threads of a program write a word each and say so; those of another one wait, and read.
RIGHT = {
    "before": "bar.sync 0;", "after": "bar.sync 0;", "stale": "",
    "add": "atom.global.gpu.acq_rel.add.u64", "poll": "ld.global.gpu.acquire.b64",
    "load": "ld.global.b32",
}  # fmt: skip


def run(seed: int, **changed: str) -> tuple[Report, np.ndarray]:
    """What was wrong, and what the reader saw."""
    text = _KERNEL.format(**{**RIGHT, **changed}, data=DATA, flag=FLAG, seen=SEEN)
    memory = {at: np.zeros(64, np.uint32) for at in (DATA, FLAG, SEEN)}

    def find(address: int) -> tuple[int, np.ndarray]:
        begin = address >> 32 << 32
        return begin, memory[begin]

    report = launch_cooperatively(Program(parse(text)), "litmus", 2, [], find, 64, seed)
    return report, memory[SEEN]


def test_what_is_released_is_seen_by_who_acquires() -> None:
    for seed in range(RUNS):
        report, seen = run(seed)
        assert report.problems == {}
        np.testing.assert_array_equal(seen, np.arange(1, 65))


def test_what_was_read_before_is_read_anew_after_an_acquire() -> None:
    """A sector that the reader had in its cache: the early read races, of course."""
    for seed in range(RUNS):
        report, seen = run(seed, stale="ld.global.b32 %r4, [%rd1];")
        assert {text for _, text in report.problems} <= {
            "ld.global.b32 %r4, [%rd1]", "st.global.b32 [%rd1], %r2"
        }  # fmt: skip
        np.testing.assert_array_equal(seen, np.arange(1, 65))


@pytest.mark.parametrize(
    "changed",
    [
        {"add": "atom.global.gpu.relaxed.add.u64"},
        {"add": "atom.global.gpu.acquire.add.u64"},
        {"poll": "ld.global.gpu.relaxed.b64"},
        {"before": ""},
    ],
    ids=["relaxed", "no release", "no acquire", "no barrier before the release"],
)
def test_less_order_is_noticed_in_every_run(changed: dict[str, str]) -> None:
    wrong = 0
    for seed in range(RUNS):
        report, seen = run(seed, **changed)
        kinds = {what for what, _ in report.problems}
        assert kinds == {"a read that no synchronisation orders after a write"}
        wrong += not np.array_equal(seen, np.arange(1, 65))
    # The values show it where they are late: a store of a warp that the release does not cover.
    assert wrong > 0 or "poll" in changed


def test_the_barrier_behind_the_poll() -> None:
    """Without it a warp overwrites what another one still reads."""
    report, _ = run(0, after="", stale="bar.sync 0;")
    assert any("shared" in text for _, text in report.problems)


def test_stale_values_stay_without_an_acquire() -> None:
    relaxed = {"poll": "ld.global.gpu.relaxed.b64", "stale": "ld.global.b32 %r4, [%rd1];"}
    seen = [run(seed, **relaxed)[1] for seed in range(RUNS)]
    assert any((s == 0).any() for s in seen)


def test_stores_become_visible_out_of_order() -> None:
    """Some words of the same instruction before others."""
    seen = [run(s, add="atom.global.gpu.relaxed.add.u64")[1] > 0 for s in range(10 * RUNS)]
    partly = [s for s in seen if s.any() and not s.all()]
    assert partly and any((np.diff(s.astype(int)) < 0).any() for s in partly)


def test_the_read_only_cache_is_a_problem_for_what_is_written() -> None:
    report, _ = run(0, load="ld.global.nc.b32")
    assert {what for what, _ in report.problems} == {
        "a read through the read-only cache of what the launch writes"
    }


def test_programs_that_wait_for_ever() -> None:
    with pytest.raises(Stuck) as caught:
        run(0, before="ret;")
    assert str(caught.value) == "1 of 2 programs wait for ever"
