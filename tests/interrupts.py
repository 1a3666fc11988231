"""Ctrl-C at random moments of calls that take long:

    python -m tests.interrupts --times 25 --seed 1 conversion kernels

Each subject is interrupted so many times by a real SIGINT of another process; the exception must
come out soon, and the next call must give the same bits as before. It prints how many calls the
signals ended (others were done before) and the milliseconds from these signals to the exceptions,
and ends with 1 if one of them took more than `--most` or a result differs.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import statistics
import struct
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops
from tests.runtime import kept_models as m

Vector = Float32[Tensor, "H"]


@ab.model
def chain(p: m.Weights, xs: list[int]) -> Vector:
    """As deep as the list is long."""
    h = p.w[0]
    for x in xs:
        h = ops.tanh(h + p.w[x])
    return h


@ab.model
def wide(p: m.Weights, x: Vector) -> Vector:
    """One batch for all instances."""
    return ops.tanh(x @ p.w)


@ab.model
def listed(p: m.Weights, n: int) -> list[int]:
    """A result that takes longer than the call."""
    return list(range(n))


@ab.model
def loss(p: m.Weights, tree: m.Leaf | m.Node) -> Float32[Tensor, ""]:
    return ops.sum(m.encode(p, tree))


class Sender:
    """Another process, which sends a SIGINT when it is told to."""

    def __init__(self) -> None:
        orders, self._to = os.pipe()
        self._from, answers = os.pipe()
        self._parent = os.getpid()
        self._child = os.fork()
        if self._child == 0:
            try:
                self._serve(orders, answers)
            finally:
                os._exit(0)
        os.close(orders)
        os.close(answers)

    def _serve(self, orders: int, answers: int) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.close(self._to)
        while order := os.read(orders, 8):
            time.sleep(struct.unpack("d", order)[0])
            os.write(answers, struct.pack("d", time.monotonic()))
            os.kill(self._parent, signal.SIGINT)

    def send_after(self, seconds: float) -> None:
        os.write(self._to, struct.pack("d", seconds))

    def sent(self) -> float:
        """When that was."""
        when: float = struct.unpack("d", os.read(self._from, 8))[0]
        return when

    def end(self) -> None:
        os.close(self._to)
        os.waitpid(self._child, 0)


@dataclass(frozen=True, slots=True)
class Subject:
    """`long` takes a second, or, if a signal is to come `within` so many seconds, far longer or
    without end; `short` is done at once."""

    long: Callable[[], object]
    short: Callable[[], Any]
    within: float | None = None

    def moments(self) -> float:
        """For how many seconds from its beginning the long call is under way."""
        if self.within is not None:
            return self.within
        self.long()  # the first one maps memory, too
        began = time.monotonic()
        self.long()
        return time.monotonic() - began


def _options(**changes: Any) -> ab.Options:
    return ab.Options(**{"threads": 2, **changes})


def _conversion() -> Subject:
    fast = ab.compile(chain, m.weights(), "cpu", _options())
    batch = [list(range(8)) * 500_000 for _ in range(8)]
    return Subject(lambda: fast.prepare(batch), lambda: fast([[1, 2, 3]]))


def _recording() -> Subject:
    fast = ab.compile(chain, m.weights(), "cpu", _options(scheduler="inline_depth"))
    long = fast.prepare([list(range(8)) * 500_000])
    return Subject(lambda: fast.run(long), lambda: fast([[1, 2, 3]]))


def _trees() -> Subject:
    fast = ab.compile(m.encode, m.weights(64), "cpu", _options(memoisation=False))
    long = fast.prepare(m.trees(50, 5, 64) * 600)
    few = m.trees(3, 3, 64)
    return Subject(lambda: fast.run(long), lambda: fast(few))


def _kernels(threads: int) -> Subject:
    fast = ab.compile(wide, m.weights(1024), "cpu", _options(threads=threads))
    x = np.random.default_rng(3).normal(size=1024).astype(np.float32)
    long = fast.prepare([x] * 60_000)
    return Subject(lambda: fast.run(long), lambda: fast([x, x]))


def _results() -> Subject:
    fast = ab.compile(listed, m.weights(), "cpu", _options())
    long = fast.prepare([20_000_000])
    return Subject(lambda: fast.run(long), lambda: fast([5]))


def _decisions(fibers: bool) -> Subject:
    model: Any = m.step  # one of a keyword's argument
    fast = ab.compile(model, m.weights(), "cpu", _options(fibers=fibers))
    x = np.ones(8, np.float32)
    return Subject(lambda: fast([(x, 10**12)] * 20), lambda: fast([(x, 3)]), 0.5)


def _counting() -> Subject:
    fast = ab.compile(m.count, m.weights(), "cpu", _options())
    return Subject(lambda: fast([0]), lambda: fast([-1]), 0.3)


def _training() -> Subject:
    step = ab.gradients(loss, m.weights(64), options=_options(memoisation=False))
    long, few = step.prepare(m.trees(50, 5, 64) * 300), m.trees(3, 3, 64)

    def short() -> list[Any]:
        losses, gradients = step(few)
        return [losses, gradients.w]

    return Subject(lambda: step(long), short)


def _interpreter() -> Subject:
    fast = ab.compile(m.encode, m.weights(), "cpu", _options(executor="vm"))
    batch, few = m.trees(20_000, 4), m.trees(3, 3)
    return Subject(lambda: fast(batch), lambda: fast(few), 1.0)


SUBJECTS: dict[str, Callable[[], Subject]] = {
    "conversion": _conversion,
    "recording": _recording,
    "trees": _trees,
    "kernels": lambda: _kernels(1),
    "kernels of two threads": lambda: _kernels(2),
    "results": _results,
    "decisions": lambda: _decisions(True),
    "decisions without fibers": lambda: _decisions(False),
    "counting": _counting,
    "training": _training,
    "interpreter": _interpreter,
}


def _same(a: Sequence[Any], b: Sequence[Any]) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


def interrupt(
    subject: Subject, sender: Sender, times: int, draw: random.Random
) -> tuple[list[float], int]:
    """Milliseconds from each signal that came before a call's end to its exception, and how many of
    the calls that followed were wrong."""
    want = subject.short()
    within = subject.moments()
    took: list[float] = []
    wrong = 0
    for _ in range(times):
        done = False
        try:
            sender.send_after(draw.uniform(0, within))
            subject.long()
            done = True
            while True:  # the signal is late
                time.sleep(0.01)
        except KeyboardInterrupt:
            late = (time.monotonic() - sender.sent()) * 1e3
        if not done:
            took.append(late)
        wrong += not _same(subject.short(), want)
    return took, wrong


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.interrupts", description=__doc__)
    parser.add_argument("subjects", nargs="*", help=f"of {', '.join(SUBJECTS)} (default: all)")
    parser.add_argument("--times", type=int, default=25)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=float, default=500.0, help="milliseconds")
    given = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sender = Sender()
    failed = False
    for name in given.subjects or SUBJECTS:
        draw = random.Random(f"{given.seed} {name}")
        took, wrong = interrupt(SUBJECTS[name](), sender, given.times, draw)
        most = max(took, default=0.0)
        failed |= wrong > 0 or most > given.most
        median = statistics.median(took) if took else 0.0
        print(
            f"{name}: {len(took)} of {given.times} calls ended, median {median:.0f} ms, "
            f"largest {most:.0f} ms, {wrong} wrong",
            flush=True,
        )
    sender.end()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
