"""The faults. Each is a function of a trial that says what came of it, one outcome per process."""

from __future__ import annotations

import ctypes
import os
import random
import resource
import shutil
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.fault_injection.namespace import can_mount, mount_over, read_only
from tests.fault_injection.outcome import RIGHT, attempt, fork, judged, named
from tests.fault_injection.trial import Trial

MIB = 1 << 20


# -- files -------------------------------------------------------------------------------------


def _flip(path: Path, draw: random.Random) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(draw.choice((1, 1, 50))):
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    path.write_bytes(data)


def _replace_by_folder(path: Path, _: random.Random) -> None:
    path.unlink()
    (path / "inside").mkdir(parents=True)


def _replace_by_another(path: Path, draw: random.Random) -> None:
    others = [p for p in path.parent.iterdir() if p.suffix == path.suffix and p != path]
    if others:
        shutil.copyfile(draw.choice(others), path)


DAMAGE: dict[str, Callable[[Path, random.Random], object]] = {
    "truncated": lambda p, draw: os.truncate(p, draw.randrange(p.stat().st_size)),
    "zeroed": lambda p, _: p.write_bytes(bytes(p.stat().st_size)),
    "bits flipped": _flip,
    "another's": _replace_by_another,
    "a folder": _replace_by_folder,
    "removed": lambda p, _: p.unlink(),
}


def damage(trial: Trial) -> list[str]:
    """Files of the cache, one or several, before or while they are used or written."""
    trial.prepare()
    early = trial.draw.random() < 0.3
    child = None if early else trial.begin()
    for _ in range(trial.draw.choice((1, 1, 1, 4))):
        if not early:
            trial.wait(3)
        found = sorted(trial.cache.rglob("*"))  # so that a seed says which
        files = [p for p in found if p.is_file() and p.suffix != ".tmp"]
        path, how = trial.draw.choice(files), trial.draw.choice(list(DAMAGE))
        try:
            DAMAGE[how](path, trial.draw)
        except (OSError, ValueError):  # it went away, or is empty
            continue
    return trial.end(child or trial.begin())


# -- processes ---------------------------------------------------------------------------------


def compiler(trial: Trial) -> list[str]:
    """g++ is killed, hangs, fails once, leaves half a file or none (compiler.sh)."""
    trial.prepare("programs/*.so")
    fault = trial.draw.choice(("killed", "hangs", "fails", "half", "nothing"))
    call = trial.draw.choice((1, 2))

    def run() -> str:
        os.environ.update(
            FAULT=fault, FAULTY_CALL=str(call), FAULT_FOLDER=str(trial.folder),
            ACROBAT_COMPILE_SECONDS="20",
        )  # fmt: skip
        return attempt(trial.subject)

    outcomes = trial.end(trial.begin(run))
    if (trial.folder / "happened").exists() and outcomes == [RIGHT]:
        trial.problems.append(f"g++ {fault}, and nobody noticed")
    return outcomes


def kill(trial: Trial) -> list[str]:
    """kill -9 of the process that compiles."""
    trial.prepare()
    child = trial.begin()
    trial.wait(4)
    child.killed()
    killed = "bad: SIGKILL"
    outcomes = trial.end(child, allowed=lambda outcome: outcome == killed)
    return ["killed" if outcome == killed else outcome for outcome in outcomes]


def together(trial: Trial) -> list[str]:
    """Two or four processes compile the same; all must be right."""
    trial.prepare()
    children = [trial.begin() for _ in range(trial.draw.choice((2, 2, 4)))]
    outcomes = trial.end(*children)
    trial.problems += [f"one of several got a {o}" for o in outcomes if o[:3] not in ("rig", "bad")]
    return outcomes


def forked(trial: Trial) -> list[str]:
    """A process forks while its other thread compiles; both must be right."""
    trial.prepare()
    moment = 2 * trial.draw.random() ** 2

    def run() -> str:
        said: list[str] = []
        thread = threading.Thread(target=lambda: said.append(attempt(trial.subject)))
        thread.start()
        time.sleep(moment)
        child = fork(lambda: attempt(trial.subject))
        inner = child.outcome(time.monotonic() + 120)
        thread.join()
        return f"bad: in the forked child: {inner}" if inner != RIGHT else said[0]

    outcomes = trial.end(trial.begin(run))
    trial.problems += [f"it got a {o}" for o in outcomes if o != RIGHT and o[:3] != "bad"]
    return outcomes


# -- disks -------------------------------------------------------------------------------------


def full_disk(trial: Trial) -> list[str]:
    """The cache, or wherever temporary files may go, is a small disk; or no file may be large."""
    trial.prepare(trial.draw.choice(("programs/*.so", "kernels", "kernels programs/*.so")))
    size = int(trial.draw.choice((1, 1, 10, 100)) * trial.draw.uniform(4 << 10, 400 << 10))
    where = trial.draw.choice(("temporary", "cache", "limit") if can_mount() else ("limit",))
    keep = trial.draw.random() < 0.75  # else the run-time is built again, if it fits

    def run() -> str:
        if where == "temporary":
            everywhere = [Path(p) for p in ("/tmp", "/var/tmp", "/dev/shm")]
            # Not over the trial's own folders, if that is where the cache lies.
            free = [p for p in everywhere if not trial.temporary.is_relative_to(p)]
            for path in (*free, trial.temporary):
                mount_over(str(path), size)
        elif where == "cache":
            for folder in trial.cache.iterdir():
                if not any(folder.glob("*.gch")):
                    mount_over(str(folder), size, keep)
        else:
            _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))
        return attempt(trial.subject)

    return trial.end(trial.begin(run))


def read_only_cache(trial: Trial) -> list[str]:
    """Nothing can be kept, and everything runs."""
    trial.prepare()

    def run() -> str:
        read_only(trial.cache)
        return attempt(trial.subject)

    outcomes = trial.end(trial.begin(run))
    for folder in (trial.cache, *trial.cache.iterdir()):
        folder.chmod(0o755)
    trial.problems += [f"it got a {o}" for o in outcomes if o != RIGHT and o[:3] != "bad"]
    return outcomes


# -- memory ------------------------------------------------------------------------------------


def _mapped() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def addresses(trial: Trial) -> list[str]:
    """RLIMIT_AS is a little more than what the process has, while it compiles or while it runs;
    the same process is right afterwards."""
    early = trial.draw.random() < 0.5
    trial.prepare("kernels programs/*.so" if early else "nothing")
    room = int(trial.draw.uniform(0, 30) ** 2) * MIB

    def run() -> str:
        fast = None if early else trial.subject.compile()
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (_mapped() + room, most))

        def work() -> str:
            made = fast or trial.subject.compile()
            return judged(trial.subject, made(trial.subject.instances))

        outcome = named(work)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        return outcome if outcome.startswith("bad") else _afterwards(trial, fast, outcome)

    return trial.end(trial.begin(run))


def allocation(trial: Trial) -> list[str]:
    """An allocation fails in the middle of a call, and some more, or all that follow."""
    trial.prepare("nothing")
    after, count = int(2 ** trial.draw.uniform(0, 12)), trial.draw.choice((1, 1, 3, 1 << 30))
    fail = ctypes.CDLL(None).fail_allocations
    fail.argtypes = (ctypes.c_long, ctypes.c_long)

    def run() -> str:
        fast = trial.subject.compile()
        if trial.draw.random() < 0.5:
            fast(trial.subject.instances)  # buffers are there already

        def work() -> str:
            try:
                fail(after, count)
                results = fast(trial.subject.instances)
            finally:
                fail(-1, 0)
            return judged(trial.subject, results)

        return _afterwards(trial, fast, named(work))

    return trial.end(trial.begin(run))


def _afterwards(trial: Trial, fast: Any, outcome: str) -> str:
    """The outcome, if the same process is right now that memory is there again."""

    def again() -> str:
        made = fast or trial.subject.compile()
        return judged(trial.subject, made(trial.subject.instances))

    if outcome.startswith("bad"):
        return outcome
    later = named(again)
    return outcome if later == RIGHT else f"bad: after {outcome}: {later}"


def interrupted(trial: Trial) -> list[str]:
    """Ctrl-C at a random moment: KeyboardInterrupt, and the same process is right afterwards."""
    trial.prepare()
    moment = 3 * trial.draw.random() ** 2

    def run() -> str:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        timer = threading.Timer(moment, signal.raise_signal, (signal.SIGINT,))
        timer.start()
        try:
            attempt_only(trial)
            timer.join()
            time.sleep(0.2)
        except KeyboardInterrupt:
            return attempt(trial.subject)
        return "bad: Ctrl-C went unnoticed"

    return trial.end(trial.begin(run))


def attempt_only(trial: Trial) -> None:
    """Compile and run without looking at what comes of it."""
    trial.subject.compile()(trial.subject.instances)


# How often each comes.
FAULTS: dict[Callable[[Trial], list[str]], int] = {
    damage: 10,
    compiler: 5,
    kill: 5,
    together: 2,
    forked: 3,
    full_disk: 5,
    read_only_cache: 2,
    addresses: 5,
    allocation: 8,
    interrupted: 3,
}
