"""Run steps in order within a time budget: failures are recorded, and steps that do not fit are
skipped."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path

from harness.environment import ROOT

from .steps import Step

# Seconds reserved for the summary and the archive.
RESERVE_S = 10.0
# Unless it says otherwise, a step starts only if this fraction of its limit is left.
LEAST_PART = 0.25
# A step starts only if the longest time of a similar step so far, times this factor, is left.
MORE = 1.3
# Seconds for a killed process to disappear.
ENDED_S = 10.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a step: ok, failed, timeout, "there" (done before) or "left" (no time)."""

    name: str
    status: str
    seconds: float = 0.0
    detail: str = ""


Run = Callable[[Step, float, Path], tuple[int | None, str]]


class Runner:
    """Runs steps until `seconds` are over, with logs below `out`; calls `keep` after every step."""

    def __init__(
        self,
        out: Path,
        seconds: float,
        say: Callable[[str], None],
        again: bool = False,
        clock: Callable[[], float] = time.monotonic,
        run: Run | None = None,
        keep: Callable[[], object] = lambda: None,
    ) -> None:
        self.out, self.say, self.again, self.clock, self.keep = out, say, again, clock, keep
        self.end = clock() + seconds - RESERVE_S
        self.run = run or run_process
        self.outcomes: list[Outcome] = []
        self._done = out / "done.json"
        self._longest: dict[str, float] = {}  # by `Step.alike`
        self._before = json.loads(self._done.read_text()) if self._done.exists() else {}

    def steps(self, steps: Iterable[Step]) -> None:
        """Run the steps one after the other; each outcome is added at once to `outcomes` and
        done.json."""
        for step in steps:
            self._note(step, self._step(step))

    def at_once(self, steps: Sequence[Step]) -> None:
        """Run all steps concurrently; return when the last has ended."""
        if not steps:
            return
        with ThreadPoolExecutor(len(steps)) as pool:
            running = {pool.submit(self._step, step): step for step in steps}
            for done in as_completed(running):
                self._note(running[done], done.result())

    def ended_well(self, name: str) -> bool:
        """Whether a step succeeded: in this call, or in an earlier one if it was not run now."""
        now = [o.status for o in self.outcomes if o.name == name]
        before = self._before.get(name, {}).get("status")
        return (now[-1] if now else before) in ("ok", "there")

    def tried(self) -> set[str]:
        """The steps that this or an earlier call has begun."""
        return set(self._before)

    def _least(self, step: Step) -> float:
        """Seconds that must be left for a step to start."""
        before = self._longest.get(step.alike)
        if step.alike and before is not None:
            return MORE * before
        return LEAST_PART * step.limit_s if step.least_s is None else step.least_s

    def _note(self, step: Step, outcome: Outcome) -> None:
        self.outcomes.append(outcome)
        self.say(f"{outcome.status:<8} {outcome.seconds:6.1f} s  {step.name} {outcome.detail}")
        if outcome.status not in ("there", "left"):
            self._before[step.name] = asdict(outcome)
            self._done.write_text(json.dumps(self._before, indent=1) + "\n")
        self.keep()

    def _step(self, step: Step) -> Outcome:
        before = self._before.get(step.name, {}).get("status")
        if before == "ok" and not step.again and not self.again:
            return Outcome(step.name, "there")
        left = self.end - self.clock()
        least = self._least(step)
        if left < least:
            return Outcome(step.name, "left", 0.0, f"{max(0.0, left):.0f} s were left")
        start, limit = self.clock(), min(step.limit_s, left)
        log = self.out / "logs" / f"{step.name.replace('/', '-')}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        code, last = self.run(step, limit, log)
        seconds = self.clock() - start
        if step.alike:
            self._longest[step.alike] = max(seconds, self._longest.get(step.alike, 0.0))
        if code is None:
            return Outcome(step.name, "timeout", seconds, f"ended after {limit:.0f} s")
        status = "ok" if code == 0 else "failed"
        return Outcome(step.name, status, seconds, "" if code == 0 else f"exit code {code}: {last}")


def run_process(step: Step, limit_s: float, log: Path) -> tuple[int | None, str]:
    """Run a step; return its exit code and the last line of its log. The code is None if the step
    exceeded `limit_s` and was killed with its process group, and 127 if the program is missing."""
    env = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with log.open("w") as out:
        try:
            process = subprocess.Popen(
                step.command,
                cwd=ROOT,
                stdout=out,
                stderr=subprocess.STDOUT,
                env=env,
                start_new_session=True,
            )
        except FileNotFoundError as error:
            out.write(f"{error}\n")
            return 127, str(error)
        try:
            code: int | None = process.wait(limit_s)
        except subprocess.TimeoutExpired:
            code = None
        except BaseException:
            _end(process)
            raise
        if code is None:
            _end(process)
    lines = log.read_text(errors="replace").strip().splitlines()
    return code, lines[-1][:200] if lines else ""


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the step and what it started: the process group that it leads, and no others. A process
    that cannot be killed because it waits for a driver is left behind."""
    os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(ENDED_S)
