"""Shared and global memory of one block of threads: values, races, faults."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.ptx.shared_memory import Fault
from tests.ptx.snippet import Snippet

LANE = np.arange(32)
AT = 1 << 32  # an address of global memory


def words(array: np.ndarray) -> np.ndarray:
    return array.astype(np.uint32)


def test_vectors_and_words_of_64_bits() -> None:
    body = """
    ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%rd0];
    st.global.v2.b32 [%rd1+4096], {%r3, %r0};
    st.shared.b64 [%r4], %rd0;
    ld.shared.v2.b32 {%r5, %r6}, [%r4];
    ld.global.nc.b32 %r7, [%rd0+8];
    """
    memory = np.arange(2048, dtype=np.uint32)
    done = Snippet(body, arrays={AT: memory}).run(
        rd0=AT + 16 * LANE, rd1=AT + 8 * LANE, r4=words(8 * LANE)
    )
    assert done.report.problems == {}
    np.testing.assert_array_equal(done.register("r2"), 4 * LANE + 2)
    np.testing.assert_array_equal(done.register("r7"), 4 * LANE + 2)
    np.testing.assert_array_equal(
        memory[1024:1088].reshape(32, 2), [[4 * n + 3, 4 * n] for n in LANE]
    )
    np.testing.assert_array_equal(done.register("r5"), 16 * LANE)
    np.testing.assert_array_equal(done.register("r6"), 1)


@pytest.mark.parametrize("warps_apart", [True, False])
def test_bytes_of_one_word(warps_apart: bool) -> None:
    """Two warps may write neighbouring bytes; who reads the word must come after both."""
    body = (
        "st.shared.b8 [%r0], %rs0;"
        + "bar.sync 0;" * warps_apart
        + """
    ld.shared.v2.b8 {%rs1, %rs2}, [%r1]; ld.shared.b32 %r2, [%r3]; ld.shared.b16 %rs3, [%r1];
    """
    )
    lane = np.arange(64)
    at = lane % 32 * 2 + lane // 32  # even bytes are the first warp's
    done = Snippet(body, 64).run(
        r0=words(at), rs0=(0x100 + lane).astype(np.uint16), r1=words(2 * (lane % 32)),
        r3=words(4 * (lane % 16)),
    )  # fmt: skip
    problems = {what for what, _ in done.report.problems}
    assert problems == (set() if warps_apart else {"a read beside another warp's write"})
    np.testing.assert_array_equal(done.register("rs1", np.uint16), lane % 32)
    np.testing.assert_array_equal(done.register("rs2", np.uint16), lane % 32 + 32)
    word = lane % 16 * 2
    want = word | (word + 32) << 8 | (word + 1) << 16 | (word + 33) << 24
    np.testing.assert_array_equal(done.register("r2"), want)
    np.testing.assert_array_equal(
        done.register("rs3", np.uint16), lane % 32 | (lane % 32 + 32) << 8
    )


def test_threads_add_one_after_the_other() -> None:
    memory = np.zeros(2, np.uint32)
    body = "atom.global.gpu.acq_rel.add.u64 %rd1, [%rd0], 3;"
    done = Snippet(body, arrays={AT: memory}).run(rd0=np.full(32, AT))
    np.testing.assert_array_equal(done.register("rd1", np.uint64), 3 * LANE)
    assert memory.tolist() == [96, 0]


COPY = """
cp.async.cg.shared.global [%r0], [%rd0], 0x10, %r1;
cp.async.commit_group;
cp.async.cg.shared.global [%r0+512], [%rd0+512], 0x10, %r1;
cp.async.commit_group;
cp.async.wait_group {pending};
{barrier}
ld.shared.b32 %r2, [%r3];
"""


def copied(
    pending: int, barrier: str = "bar.sync 0;", threads: int = 64, behind: int = 0
) -> Snippet:
    lane = np.arange(threads)
    memory = np.arange(100, 100 + 64 * 8, dtype=np.uint32)
    body = COPY.format(pending=pending, barrier=barrier)
    return Snippet(body, threads, 4096, {AT: memory}).run(
        rd0=AT + 16 * (lane % 32), r0=words(16 * (lane % 32) + 1024 * (lane // 32)),
        r1=words(np.where(lane % 2, 16, 0)), r3=words(16 * (threads - 1 - lane) % 1024 + behind),
    )  # fmt: skip


def test_copies_are_there_once_they_have_been_waited_for() -> None:
    done = copied(0)
    assert done.report.problems == {}
    at = 16 * (63 - np.arange(64)) % 1024 // 4
    row = at // 4
    # A copy of no bytes brings zeros.
    np.testing.assert_array_equal(done.register("r2"), np.where(row % 2, 100 + at, 0))


def test_copies_that_are_under_way_are_nan() -> None:
    done = copied(1, threads=32, behind=512)
    kinds = {what for what, _ in done.report.problems}
    assert kinds == {"a read of what is still being copied", "a copy that nobody waited for"}
    assert np.isnan(done.register("r2", np.float32)).all()


def test_a_wait_counts_groups() -> None:
    done = copied(1, threads=32)
    assert {what for what, _ in done.report.problems} == {"a copy that nobody waited for"}
    assert not np.isnan(done.register("r2", np.float32)).any()


def test_other_threads_need_a_barrier_behind_the_wait() -> None:
    done = copied(0, barrier="")
    [(what, _)] = done.report.problems
    assert what == "a read beside another warp's write"


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("st.shared.b32 [%r0], %r1; bar.sync 0; ld.shared.b32 %r2, [%r3];", None),
        ("st.shared.b32 [%r0], %r1; ld.shared.b32 %r2, [%r0];", None),
        ("st.shared.b32 [%r0], %r1; ld.shared.b32 %r2, [%r3];",
         "a read beside another warp's write"),
        ("ld.shared.b32 %r2, [%r3]; st.shared.b32 [%r0], %r1;",
         "a write beside another warp's access"),
        # Both warps read all; then one writes.
        ("ld.shared.b32 %r2, [%r0]; ld.shared.b32 %r2, [%r3]; @%p0 st.shared.b32 [%r0], %r1;",
         "a write beside another warp's access"),
        ("ld.shared.b32 %r2, [%r0]; ld.shared.b32 %r2, [%r3]; bar.sync 0;"
         "@%p0 st.shared.b32 [%r0], %r1;", None),
        ("ld.shared.b32 %r2, [0]; @%p0 st.shared.b32 [%r0], %r1;",
         "a write beside another warp's access"),
        ("st.shared.b32 [%r0], %r1; st.shared.b32 [%r3], %r1;",
         "a write beside another warp's access"),
        ("st.shared.b32 [0], %r1;", "two threads write different values to one word"),
        ("st.shared.b32 [0], 5;", None),
        ("st.global.b32 [%rd0], %r1; bar.sync 0; ld.global.b32 %r2, [%rd1];", None),
        ("st.global.b32 [%rd0], %r1; ld.global.b32 %r2, [%rd1];",
         "a read that no synchronisation orders after a write"),
        ("ld.global.b32 %r2, [%rd1]; st.global.b32 [%rd0], %r1;",
         "a write that no synchronisation orders after an access"),
        ("@%p0 bra $one; bar.sync 0; bra.uni $two; $one: bar.sync 0; $two: mov.b32 %r2, 0;",
         "threads at different CTA barriers"),
    ],
)  # fmt: skip
def test_races_of_two_warps(body: str, what: str | None) -> None:
    """Every thread has a word of its own and that of a thread of the other warp."""
    lane = np.arange(64)
    other = 63 - lane
    done = Snippet(body, 64, arrays={AT: np.zeros(64, np.uint32)}).run(
        r0=words(4 * lane), r3=words(4 * other), rd0=AT + 4 * lane, rd1=AT + 4 * other,
        r1=words(lane), p0=lane < 32,
    )  # fmt: skip
    assert {found for found, _ in done.report.problems} == ({what} if what else set())


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("ld.global.b32 %r0, [%rd0+256];", "the global address 0x100000100 is nobody's"),
        ("ld.global.v2.b32 {%r0, %r1}, [%rd0+4];", "a global address is not a multiple of 8: "
         "ld.global.v2.b32 {%r0, %r1}, [%rd0+4]"),
        ("ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%rd0+240];", None),
        ("ld.shared.v2.b32 {%r0, %r1}, [1024];", "a shared address is outside of 1024 bytes: "
         "ld.shared.v2.b32 {%r0, %r1}, [1024]"),
        ("st.shared.b64 [4], %rd0;",
         "a shared address is not a multiple of 8: st.shared.b64 [4], %rd0"),
    ],
)  # fmt: skip
def test_faults(body: str, said: str | None) -> None:
    snippet = Snippet(body, arrays={AT: np.zeros(64, np.uint32)})
    if said is None:
        snippet.run(rd0=np.full(32, AT))
        return
    with pytest.raises(Fault, match=f"^{re.escape(said)}$"):
        snippet.run(rd0=np.full(32, AT))
