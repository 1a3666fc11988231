"""Tries random programs against plain Python: `python -m tests.random_programs --count 10000`.

Programs are drawn from consecutive seeds and tried in processes that take one after the other; a
process that dies or hangs counts as a failure of the program it was at, and another one goes on.
What fails is written to a folder, with the command that reduces it. Exit code: 1 if anything
failed. The kernels go to a cache of their own unless ACROBAT_CACHE names one, and the generated
C++ is compiled without optimisation unless ACROBAT_CXXFLAGS says otherwise.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import queue
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
# What a process is given at a time: TVM and what is loaded go with it.
AT_ONCE = 200
TELL_S = 60.0
SECONDS = 1200.0  # for one program, on a machine of which others take most, too


@dataclass
class Campaign:
    """What there is to try, and what has become of it."""

    seeds: queue.SimpleQueue[int]
    way: str
    precision: str
    folder: Path
    endings: Counter[str] = field(default_factory=Counter)
    compared: int = 0
    unsure: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    end: float = float("inf")  # in seconds of `time.monotonic`

    def done(self, seed: int, ending: str, compared: int = 0, unsure: int = 0) -> None:
        """Count a program; write it down if it failed."""
        with self.lock:
            self.endings[ending] += 1
            self.compared += compared
            self.unsure += unsure
            if ending == "ok":
                return
            from tests.programs.generator.program import write_program

            self.folder.mkdir(parents=True, exist_ok=True)
            path = self.folder / f"program_{seed}.py"
            path.write_text(write_program(random.Random(seed), self.way, self.precision))
            print(f"program {seed}: {ending}\n    python -m tests.shrink {path}", flush=True)

    def work(self) -> None:
        """Try programs until there are none, in one process after the other."""
        while not self.seeds.empty() and time.monotonic() < self.end:
            seeds: list[int] = []
            with contextlib.suppress(queue.Empty):
                while len(seeds) < AT_ONCE:
                    seeds.append(self.seeds.get_nowait())
            while seeds and time.monotonic() < self.end:
                seeds = seeds[self._one_process(seeds) :]

    def _one_process(self, seeds: list[int]) -> int:
        """How many of the seeds one process has got through."""
        command = [sys.executable, "-X", "faulthandler", "-m", "tests.random_programs"]
        process = subprocess.Popen(
            [*command, "--worker", self.way, self.precision, *map(str, seeds)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        assert process.stdout is not None
        watch = _Watch(process)
        through = 0
        for line in process.stdout:
            watch.again()
            if time.monotonic() > self.end:
                process.kill()
                break
            seed, ending, *counts = line.rstrip("\n").split("\t")
            self.done(int(seed), ending, *map(int, counts))
            through += 1
        watch.stop()
        process.wait()
        if through < len(seeds) and time.monotonic() < self.end:
            code = process.returncode
            name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
            self.done(seeds[through], "hangs" if watch.rang else f"ends the process ({name})")
            said = watch.said[-4000:]
            (self.folder / f"program_{seeds[through]}.txt").write_text(said)
            through += 1
        return through


class _Watch:
    """Ends a process that says nothing for too long, and keeps what it says in errors."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process, self.rang, self.said = process, False, ""
        self._last, self._stopped = time.monotonic(), threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def again(self) -> None:
        self._last = time.monotonic()

    def stop(self) -> None:
        self._stopped.set()
        self._reader.join()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said = (self.said + line)[-20_000:]

    def _watch(self) -> None:
        while not self._stopped.wait(1.0):
            if time.monotonic() - self._last > SECONDS:
                self.rang = True
                self.process.kill()
                return


def worker(way: str, precision: str, seeds: list[int]) -> None:
    """Try the programs of these seeds; a line for each: seed, ending, instances compared, and those
    decided by rounding."""
    from tests.programs.generator.program import write_program
    from tests.programs.try_program import kind_of, try_program

    # What is imported stays, and a compilation makes much that lives as long as itself.
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            try:
                source = write_program(random.Random(seed), way, precision)
                counts = try_program(source, Path(folder))
                print(seed, "ok", *counts, sep="\t", flush=True)
            except Exception as error:
                print(seed, kind_of(error).replace("\t", " "), sep="\t", flush=True)


def main() -> int:
    """The command; 1 if a program failed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=1000, help="how many programs")
    parser.add_argument(
        "--seed", type=int, default=None, help="of the first (default: a fresh one)"
    )
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--minutes", type=float, default=1e6, help="stop after as many")
    parser.add_argument("--way", default="any", choices=["any", "vm", "aot", "compiled"])
    parser.add_argument(
        "--precision",
        default="fp32",
        choices=["fp32", "bf16"],
        help="Options.precision; bf16 needs a CPU with AMX, and results may be off by more",
    )
    parser.add_argument("--out", type=Path, default=Path("failing_programs"), help="a folder")
    given = parser.parse_args()
    first = given.seed if given.seed is not None else random.SystemRandom().randrange(1 << 40)
    seeds: queue.SimpleQueue[int] = queue.SimpleQueue()
    for seed in range(first, first + given.count):
        seeds.put(seed)
    campaign = Campaign(seeds, given.way, given.precision, given.out)
    start = time.monotonic()
    campaign.end = start + given.minutes * 60
    with _environment():
        jobs = [threading.Thread(target=campaign.work) for _ in range(given.jobs)]
        for job in jobs:
            job.start()
        told = start
        while any(job.is_alive() for job in jobs):
            time.sleep(0.2)
            if time.monotonic() - told > TELL_S:
                told = time.monotonic()
                print(f"{campaign.endings.total()} tried", flush=True)
    tried, minutes = campaign.endings.total(), (time.monotonic() - start) / 60
    print(f"{tried} programs from seed {first} in {minutes:.1f} minutes; {campaign.compared} "
          f"instances agree, {campaign.unsure} are decided by rounding")  # fmt: skip
    for ending, count in campaign.endings.most_common():
        print(f"{count:7} {ending}")
    return 0 if campaign.endings["ok"] == tried else 1


@contextlib.contextmanager
def _environment() -> Iterator[None]:
    """For the processes: verified passes, quick compilation, a cache that is thrown away."""
    os.environ.setdefault("ACROBAT_VERIFY", "1")
    os.environ.setdefault("ACROBAT_CXXFLAGS", "-O0")
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("ACROBAT_CACHE", folder)
        yield


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        worker(sys.argv[2], sys.argv[3], [int(s) for s in sys.argv[4:]])
    else:
        sys.exit(main())
