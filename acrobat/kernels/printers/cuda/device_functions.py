"""What the persistent kernel calls besides kernels: the two halves of the grid barrier, the loads
of arguments, and the copies that gather scattered floats.

This module is imported by generated sources alone: it needs Triton.
"""

import triton
import triton.language as tl

CHUNK = tl.constexpr(512)  # floats of a run that are on their way at once
# Polls after which a program gives up: each takes a trip to the L2 cache, some 600 cycles, so that
# these are more than five seconds. What any step takes is a small part of that.
POLLS = tl.constexpr(1 << 24)


@triton.jit
def arrive(counter):
    """Counts the program among those that have come to a grid barrier; it does not wait yet.

    A program arrives when all of its threads have (`debug_barrier`): one of them adds to the
    counter, which releases what all of them wrote.
    """
    tl.debug_barrier()
    tl.atomic_add(counter, 1, sem="release", scope="gpu")


@triton.jit
def await_others(counter, goal):
    """Waits until `counter` is `goal`, after which all threads of the program read what the
    programs that arrived before had written. Nothing happens if `goal` is 0.

    One thread polls, which acquires what the programs that have arrived released; the others get
    what it saw through shared memory, behind a CTA barrier. An acquire at the scope of the GPU also
    drops what the multiprocessor's first-level cache holds, so loads need no cache modifier
    afterwards, as long as none is of the read-only kind (ld.global.nc), which Triton does not
    generate.

    Between arriving and waiting a program loads what the host wrote before the launch, arguments
    and offsets: three trips to the L2 cache, one after the other, become one behind the grid
    barrier.

    A program that never comes would keep the GPU busy for ever. Whoever has polled `POLLS` times
    ends the launch instead, which the driver reports as an error.
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
    # The hint must be on the operation that makes the address: on a call, as of `floats`, it goes
    # with the call when that is inlined (triton-lang/triton#8592), and all copies are of 4 bytes.
    return tl.multiple_of(tl.load(arguments + n).to(tl.pointer_type(tl.float32)), 16)


@triton.jit
def numbers(arguments, n: tl.constexpr):
    """Argument n, an address of int32s."""
    return tl.load(arguments + n).to(tl.pointer_type(tl.int32))


@triton.jit
def copy_runs(table, goal, arguments, tile, tiles, programs):
    """Copies of runs of floats, a tile each. Arguments: to where; from where; an int32 triple per
    run: floats behind from where, behind to where, and how many. `await_others` comes first."""
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
