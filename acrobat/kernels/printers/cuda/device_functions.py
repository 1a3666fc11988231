"""The functions that the persistent kernel calls besides kernels: the two halves of the grid
barrier, the loads of arguments, and the copies that gather scattered floats.

Only generated sources import this module: it needs Triton.
"""

import triton
import triton.language as tl

CHUNK = tl.constexpr(512)  # floats of a run that are in flight at once
# Polls after which a program gives up. Each takes a round trip to the L2 cache, about 600 cycles,
# so that all of them take more than five seconds. Any step takes a small part of that.
POLLS = tl.constexpr(1 << 24)


@triton.jit
def arrive(counter):
    """Count the program as arrived at a grid barrier, without waiting yet.

    A program arrives when all of its threads have (`debug_barrier`): one of them adds to the
    counter, which releases what all of them wrote.
    """
    tl.debug_barrier()
    tl.atomic_add(counter, 1, sem="release", scope="gpu")


@triton.jit
def await_others(counter, goal):
    """Wait until `counter` reaches `goal`, after which all threads of the program read what the
    programs had written before they arrived. Nothing happens if `goal` is 0.

    One thread polls, which acquires what the programs that have arrived released; the others get
    the value through shared memory, after a CTA barrier. An acquire at the scope of the GPU also
    invalidates the multiprocessor's first-level cache, so that later loads need no cache modifier,
    as long as none is of the read-only kind (ld.global.nc), which Triton does not generate.

    Between arriving and waiting, a program loads what the host wrote before the launch, i.e.
    arguments and offsets: of three dependent round trips to the L2 cache, only one remains after
    the grid barrier.

    A program that never arrives would keep the GPU busy forever. Instead, a program that has polled
    `POLLS` times aborts the launch, which the driver reports as an error.
    """
    seen = tl.minimum(goal, 0)
    polls = goal * 0
    while seen < goal:
        seen = tl.atomic_add(counter, 0, sem="acquire", scope="gpu")
        polls += 1
        if polls == POLLS:
            tl.inline_asm_elementwise(
                "trap; mov.b64 $0, $1;", "=l,l", [polls], dtype=tl.int64, is_pure=False, pack=1
            )


@triton.jit
def head(table, step):
    """The head of a step: kind, whether a grid barrier comes first, row tiles, tiles, the number of
    its first tile, where its arguments are."""
    at = (table + 4 * (step + 1)).to(tl.pointer_type(tl.int32))
    return (
        tl.load(at),
        tl.load(at + 1),
        tl.load(at + 2),
        tl.load(at + 3),
        tl.load(at + 4),
        tl.load(at + 5),
    )


@triton.jit
def number(arguments, n: tl.constexpr):
    """Argument n, an int32."""
    return tl.load(arguments + n).to(tl.int32)


@triton.jit
def floats(arguments, n: tl.constexpr):
    """Argument n, an address of floats."""
    return tl.load(arguments + n).to(tl.pointer_type(tl.float32))


@triton.jit
def aligned(arguments, n: tl.constexpr):
    """Argument n, an address of floats, aligned to 16 bytes."""
    # The hint must be on the operation that makes the address: on a call, such as one of `floats`,
    # it is lost when the call is inlined (triton-lang/triton#8592), and all copies are of 4 bytes.
    return tl.multiple_of(tl.load(arguments + n).to(tl.pointer_type(tl.float32)), 16)


@triton.jit
def numbers(arguments, n: tl.constexpr):
    """Argument n, an address of int32s."""
    return tl.load(arguments + n).to(tl.pointer_type(tl.int32))


@triton.jit
def copy_runs(table, goal, arguments, tile, tiles, programs):
    """Copy runs of floats, one per tile. Arguments: the destination; the source; an int32 triple
    per run: its offsets in the source and in the destination, and its length, in floats. Calls
    `await_others` first."""
    to, source, runs = floats(arguments, 0), floats(arguments, 1), numbers(arguments, 2)
    await_others(table, goal)
    while tile < tiles:
        run = runs + tile.to(tl.int64) * 3
        begin, end = tl.load(run).to(tl.int64), tl.load(run + 1).to(tl.int64)
        length = tl.load(run + 2)
        start = length * 0
        while start < length:
            at = start + tl.arange(0, CHUNK)
            value = tl.load(source + begin + at, mask=at < length)
            tl.store(to + end + at, value, mask=at < length)
            start += CHUNK
        tile += programs
