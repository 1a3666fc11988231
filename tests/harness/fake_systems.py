"""Systems for tests: in the module `sitecustomize` of every process that is started."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]

# Systems that behave in every way a system can, in this process and in the workers'.
FAKES = """
import os, sys, time
import numpy as np
import baselines.registry as registry
from baselines.system_record import Look, SystemRecord
from baselines.api import Breakdown, Supported, Unsupported
import workloads

LOG = os.environ["FAKE_LOG"]

class Good:
    offset = 0.0
    @staticmethod
    def supports(problem):
        return Supported()
    def prepare(self, problem):
        self.problem = problem
        with open(LOG + ".alive", "w") as alive:
            alive.write(str(os.getpid()))
        w = workloads.get(problem.workload)
        self.results = w.reference(problem.params, problem.instances)
    def run(self):
        with open(LOG, "a") as log:
            log.write(type(self).__name__ + "\\n")
        time.sleep(0.001)
    def outputs(self):
        return [tuple(a + self.offset for a in r) for r in self.results]
    def breakdown(self):
        return Breakdown(
            graph_ms=1.5, n_nodes=7, threads_used=3, precision="tf32", versions={"fake": "1"}
        )

class Other(Good):
    pass
class Choosing(Good):
    pass
class Third(Good):
    pass
class Wrong(Good):
    offset = 0.5
class Nan(Good):
    offset = float("nan")
class Refuses(Good):
    @staticmethod
    def supports(problem):
        return Unsupported("no trees here")
class Undecided(Good):
    @staticmethod
    def supports(problem):
        raise LookupError("is it installed?")
class Raises(Good):
    def run(self):
        raise RuntimeError("broken on purpose")
class Hungry(Good):
    def prepare(self, problem):
        raise MemoryError("10 GiB for weights")
class Hungry2(Hungry):
    pass
class Greedy(Good):
    def prepare(self, problem):
        alive = int(open(LOG + ".alive").read()) if os.path.exists(LOG + ".alive") else -1
        if os.path.exists(f"/proc/{alive}"):
            raise MemoryError("the other one has it")
        super().prepare(problem)
class Killed(Good):
    def run(self):
        os.kill(os.getpid(), 9)
class Dies(Good):
    def run(self):
        sys.stderr.write("last words")
        sys.stderr.flush()
        os._exit(3)
class Hangs(Good):
    def prepare(self, problem):
        time.sleep(60)
class Starts(Good):
    def prepare(self, problem):
        super().prepare(problem)
        self.note()
        time.sleep(0.5)
        self.note()
    def note(self):
        with open(LOG + ".starts", "a") as log:
            log.write(type(self).__name__ + "\\n")
class StartsToo(Starts):
    pass
class StartsAlone(Starts):
    pass
class Long(Good):
    def run(self):
        super().run()
        time.sleep(2.0)
class Prints(Good):
    def run(self):
        print("noise on standard output")

for cls in (
    Good, Other, Choosing, Third, Wrong, Nan, Refuses, Undecided, Raises, Hungry, Hungry2, Greedy,
    Killed, Dies, Hangs, Starts, StartsToo, StartsAlone, Long, Prints
):
    name = "fake_" + cls.__name__.lower()
    registry.add(SystemRecord(name, cls, 90, ("full",), name, name, name, Look("#000000", "o"),
                              chooses_by_timing=("cpu", "cuda") * (cls in (Choosing, StartsAlone))))
"""

# Systems that do what no system should. After `FAKES`.
HOSTILE = r"""
import ctypes, signal, subprocess, threading

class ExitsWhenAsked(Good):
    @staticmethod
    def supports(problem):
        os._exit(0)
class SaysNothing(Good):
    @staticmethod
    def supports(problem):
        return None
class HangsWhenAsked(Good):
    @staticmethod
    def supports(problem):
        time.sleep(600)
class NeverReady(Good):
    def prepare(self, problem):
        time.sleep(600)
class Deaf(Good):
    def run(self):
        for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_IGN)
        ctypes.PyDLL(None).sleep(600)
class Segfault(Good):
    def run(self):
        ctypes.string_at(0)
class ExitsZero(Good):
    def run(self):
        os._exit(0)
class Interrupts(Good):
    def run(self):
        raise KeyboardInterrupt
class Coloured(Good):
    def run(self):
        raise RuntimeError("\x1b[2Jred\udc80\u202e" + "x" * 5000)
class Recursive(Good):
    def run(self):
        self.run()
class FillsMemory(Good):
    def run(self):
        self.kept = [bytearray(1 << 28) for _ in range(16)]
        time.sleep(600)
class Floods(Good):
    def run(self):
        os.write(1, b"x" * (1 << 22))
class ClosesPipes(Good):
    def run(self):
        os.closerange(0, 100)
        time.sleep(600)
class Scribbles(Good):
    def run(self):
        super().run()
        for descriptor in range(1, 20):
            try:
                os.write(descriptor, b'{"samples_ms": [1')
            except OSError:
                pass
class Forges(Good):
    def run(self):
        token = os.environ["ACROBAT_WORKER"]
        for descriptor in range(1, 20):
            try:
                os.write(descriptor, f'\n{token}{self.answer}\n'.encode())
            except OSError:
                pass
        time.sleep(600)
    answer = '{"samples_ms": "many"}'
class ForgesDepth(Forges):
    answer = "[" * 100_000
class Clock(Good):
    def prepare(self, problem):
        super().prepare(problem)
        self.ticks = 0.0
        sys.modules["harness.worker"]._clock = self.tick
    def tick(self):
        self.ticks -= 1.0
        return self.ticks
class StopsTheClock(Good):
    def prepare(self, problem):
        super().prepare(problem)
        time.perf_counter = lambda: 0.0
class Nothing(Good):
    def outputs(self):
        return []
class ReturnsNone(Good):
    def outputs(self):
        return None
class ForgesShape(Good):
    def outputs(self):
        references = sys.modules["harness.references"]
        honest = references.flatten
        def flatten(result):
            structure, arrays = honest(result)
            return structure, [a[:1] for a in arrays]
        references.flatten = flatten
        return self.results
class HalfAFile(Good):
    def prepare(self, problem):
        super().prepare(problem)
        sys.modules["harness.worker"].save_outputs = self.save
    def save(self, path, outputs):
        with open(path, "wb") as file:
            file.write(b"PK\x03\x04 and so on")
class NoBreakdown(Good):
    def breakdown(self):
        return None
class Parent(Good):
    def prepare(self, problem):
        super().prepare(problem)
        children = [
            subprocess.Popen(["sleep", "600"], env={}),
            subprocess.Popen(["sleep", "600"], start_new_session=True),
        ]
        with open(LOG + ".children", "w") as log:
            log.write(" ".join(str(child.pid) for child in children))
        threading.Thread(target=time.sleep, args=(600,)).start()
class Elsewhere(Good):
    def prepare(self, problem):
        super().prepare(problem)
        os.chdir("/")
        os.environ.clear()
        os.umask(0o777)

for cls in [c for c in list(globals().values()) if isinstance(c, type) and issubclass(c, Good)]:
    name = "fake_" + cls.__name__.lower()
    if name not in registry._added:
        registry.add(SystemRecord(name, cls, 90, ("full",), name, name, name, Look("#000000", "o")))
"""
