"""Mixed models, batches, threads, forks, errors and interrupts in one process, for long:

    python -m tests.soak --minutes 30 --seed 1

It ends with 1 if a result differs in one bit, an error is another than expected, a child hangs or
dies, or the memory that is the process's own grows by more than 1 % after the first third.
"""

from __future__ import annotations

import argparse
import collections
import ctypes
import gc
import random
import signal
import sys
import threading
import time
import traceback
from statistics import median
from typing import Any

import psutil

from tests.soak.actions import BY_MAIN_THREAD, BY_THREADS, drop_kept, fork
from tests.soak.subjects import Subject, make_subjects

SAMPLES = 60


class Soak:
    def __init__(self, subjects: list[Subject], seed: int, workers: int, forks: bool) -> None:
        self.subjects, self.seed = subjects, seed
        self.counts: collections.Counter[str] = collections.Counter()
        self.failures: list[str] = []
        self.memory: list[int] = []
        self._main = {a: n for a, n in BY_MAIN_THREAD.items() if forks or a is not fork}
        self._running = threading.Event()
        self._running.set()
        self._stop = False
        self._pause = threading.Barrier(workers + 1)
        self._lock = threading.Lock()
        self._workers = [threading.Thread(target=self._work, args=(i,)) for i in range(workers)]

    def _act(self, table: dict[Any, int], draw: random.Random) -> None:
        action = draw.choices(list(table), list(table.values()))[0]
        subject = draw.choice(self.subjects)
        try:
            action(subject, draw)
        except Exception:
            self.failures.append(f"{action.__name__} of {subject.name}\n{traceback.format_exc()}")
        with self._lock:
            self.counts[action.__name__] += 1

    def _work(self, index: int) -> None:
        draw = random.Random(f"{self.seed}/{index}")
        while not self._stop:
            if not self._running.is_set():
                self._pause.wait()
                self._running.wait()
            self._act(BY_THREADS, draw)

    def _sample(self) -> None:
        """The memory that is the process's own while nothing runs, in bytes."""
        self._running.clear()
        self._pause.wait()
        drop_kept()
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)
        self.memory.append(psutil.Process().memory_full_info().uss)
        self._running.set()

    def run(self, seconds: float) -> None:
        draw = random.Random(f"{self.seed}/main")
        for worker in self._workers:
            worker.start()
        begin = time.monotonic()
        while (passed := time.monotonic() - begin) < seconds:
            if passed > seconds / SAMPLES * len(self.memory):
                self._sample()
            self._act(self._main, draw)
        self._sample()
        self._stop = True
        for worker in self._workers:
            worker.join()

    def growth(self) -> float:
        """By how much of itself memory grew between the second third and the last samples."""
        third = len(self.memory) // 3
        early, late = self.memory[third : 2 * third], self.memory[2 * third :]
        return median(late) / median(early) - 1 if third else 0.0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=3, help="Python threads that call models")
    parser.add_argument("--threads", type=int, default=2, help="threads of a model's kernels")
    parser.add_argument("--no-forks", action="store_true")
    parser.add_argument("--any-growth", action="store_true", help="do not judge memory")
    parser.add_argument("models", nargs="*", help="workloads (default: treelstm drnn birnn)")
    given = parser.parse_args()
    # A shell ignores Ctrl-C for what it starts in the background.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    names = given.models or ["treelstm", "drnn", "birnn"]
    begin = time.monotonic()
    subjects = make_subjects(names, given.threads)
    print(f"compiled in {time.monotonic() - begin:.0f} s", flush=True)
    soak = Soak(subjects, given.seed, given.workers, not given.no_forks)
    soak.run(given.minutes * 60)
    growth = soak.growth()
    print(f"{sum(soak.counts.values())} actions: {dict(soak.counts.most_common())}")
    print(
        f"memory {soak.memory[0] / 2**20:.1f} to {soak.memory[-1] / 2**20:.1f} MiB, "
        f"growth {growth:+.2%}; {psutil.Process().num_fds()} open files, "
        f"{len(soak.failures)} failures"
    )
    for failure in soak.failures[:5]:
        print(failure, file=sys.stderr)
    return 1 if soak.failures or (growth > 0.01 and not given.any_growth) else 0


if __name__ == "__main__":
    sys.exit(main())
