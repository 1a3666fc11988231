"""One trial: a cache as some earlier process left it, a process that compiles and runs a model, a
fault at a random moment, and a process without a fault that must get the right numbers."""

from __future__ import annotations

import os
import random
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from acrobat.cache import library, scratch_folder, store
from tests.fault_injection.outcome import PATIENCE_S, RIGHT, Child, attempt, fork
from tests.fault_injection.subjects import Subject

# What of a warm cache is missing when a trial begins, and how often.
MISSING = {"nothing": 5, "programs/*.so": 6, "kernels": 2, "kernels programs/*.so": 1, "headers": 1}


@dataclass
class Trial:
    """`template` has what a warm cache has; `folder` is the trial's own."""

    draw: random.Random
    subject: Subject
    template: Path
    folder: Path
    problems: list[str] = field(default_factory=list)
    # When it began, of the process that compiles.
    began: float = 0.0

    @property
    def cache(self) -> Path:
        return self.folder / "cache"

    @property
    def temporary(self) -> Path:
        return self.folder / "tmp"

    def prepare(self, missing: str | None = None) -> None:
        """A cache from which something is missing; drawn, unless it is said."""
        shutil.copytree(self.template, self.cache)
        self.temporary.mkdir()
        if missing is None:
            missing = self.draw.choices(list(MISSING), list(MISSING.values()))[0]
        for pattern in missing.split():
            for path in self.cache.glob(pattern):
                if path.is_dir():
                    shutil.rmtree(path)
                else:
                    path.unlink()

    def begin(self, body: Callable[[], str] | None = None) -> Child:
        """A process that compiles and runs the model, or does something else in this cache."""
        self.began = time.monotonic()

        def run() -> str:
            os.environ.update(ACROBAT_CACHE=str(self.cache), TMPDIR=str(self.temporary))
            library._loaded.clear()  # what the parent has loaded
            return (body or (lambda: attempt(self.subject)))()

        return fork(run)

    def wait(self, seconds: float) -> None:
        """Up to so long, mostly less: more happens early."""
        time.sleep(seconds * self.draw.random() ** 2)

    def end(self, *children: Child, allowed: Callable[[str], bool] | None = None) -> list[str]:
        """The outcomes; what is neither right nor a public error is a problem."""
        limit = time.monotonic() + PATIENCE_S
        outcomes = [child.outcome(limit) for child in children]
        for outcome in outcomes:
            if outcome.startswith("bad") and not (allowed and allowed(outcome)):
                self.problems.append(outcome)
        return outcomes

    def check(self) -> None:
        """The same again, without a fault, is right, and nothing is left behind."""

        (outcome,) = self.end(self.begin())
        if outcome != RIGHT and not outcome.startswith("bad"):
            self.problems.append(f"the next process got a {outcome}")
        self._wait_for_processes()
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("TMPDIR", str(self.temporary))
            with scratch_folder():  # whoever builds next sweeps
                pass
        left = [*self.temporary.glob("acrobat-*")]
        for path in self.cache.rglob("*.tmp"):
            # The next file that is put there takes it away, once it is older than a minute.
            os.utime(path, (0, 0))
            store._sweep(path.parent)
            left += [path] * path.exists()
        if left:
            self.problems.append(f"left behind: {', '.join(p.name for p in left)}")

    def _wait_for_processes(self) -> None:
        """Those that a killed one had started end by themselves."""
        orphans = psutil.Process().children(recursive=True)
        _, alive = psutil.wait_procs(orphans, timeout=60)
        for process in alive:
            self.problems.append(f"still runs: {process}")
            process.kill()
