"""Faults at random moments of compiling, loading and running:

    python -m tests.fault_injection --times 500 --seed 1
    python -m tests.fault_injection --times 60 --only addresses     # some kinds of faults

Every trial must end with the right numbers or one of the public errors, without a signal, a hang
or files that stay behind; the next process without a fault must get the right numbers. The exit
code is 1 if one does otherwise. As root, disks that are full or read-only are real ones.
"""

from __future__ import annotations

import argparse
import collections
import ctypes
import logging
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Sequence
from pathlib import Path

from acrobat.cache import cache_dir
from tests.fault_injection.faults import FAULTS
from tests.fault_injection.outcome import RIGHT
from tests.fault_injection.subjects import Subject, make_subjects
from tests.fault_injection.trial import Trial

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
_BECOME_SUBREAPER = 36


def restart(folder: Path) -> None:
    """Run this again with an allocation that can fail, and a g++ that can."""
    library = folder / "failing_malloc.so"
    command = ["g++", "-shared", "-fPIC", "-O1", "-x", "c", str(HERE / "failing_malloc.c")]
    subprocess.run([*command, "-o", str(library)], check=True)
    (folder / "g++").symlink_to(HERE / "compiler.sh")
    environment = {
        **os.environ,
        "LD_PRELOAD": str(library),
        "REAL_COMPILER": shutil.which("g++") or "",
        "PATH": f"{folder}:{os.environ['PATH']}",
        "FAULTS_IN": str(folder),
        # Programs need not be fast, and it shall not take long.
        "ACROBAT_CXXFLAGS": os.environ.get("ACROBAT_CXXFLAGS", "-O0"),
    }
    os.execve(
        sys.executable, [sys.executable, "-m", "tests.fault_injection", *sys.argv[1:]], environment
    )


def compile_subjects(folder: Path) -> list[Subject]:
    """The subjects, and a copy of the files of the cache that they need."""
    used: set[str] = set()

    class Used(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if isinstance(record.args, tuple) and "%s/%s" in record.msg:
                used.add("/".join(map(str, record.args[:2])))

    logger, handler = logging.getLogger("acrobat"), Used(logging.DEBUG)
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    make_subjects()
    subjects = make_subjects()  # now the header is there, too
    logger.removeHandler(handler)
    logger.setLevel(before)
    for name in used:
        for path in cache_dir().glob(f"{name}*"):
            to = folder / path.relative_to(cache_dir())
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, to)
    return subjects


def run(times: int, seed: int, folder: Path, only: Sequence[str], minutes: float) -> int:
    """The number of trials that went wrong; `only` are the kinds of faults."""
    faults = {f: weight for f, weight in FAULTS.items() if f.__name__ in only}
    subjects = compile_subjects(folder / "template")
    import tvm  # noqa: F401, so that it is not imported in every trial

    counts: dict[str, collections.Counter[str]] = {
        f.__name__: collections.Counter() for f in faults
    }
    bad = 0
    # The rarest kinds come early, so that a few trials have all of them.
    begin = time.monotonic()
    tried = 0
    for number in range(times):
        if time.monotonic() - begin > 60 * minutes:
            break
        tried += 1
        draw = random.Random(f"{seed}/{number}")
        fault = (
            list(faults)[number]
            if number < len(faults)
            else draw.choices(list(faults), list(faults.values()))[0]
        )
        trial = Trial(draw, draw.choice(subjects), folder / "template", folder / str(number))
        trial.folder.mkdir()
        name, outcomes = fault.__name__, list[str]()
        try:
            outcomes = fault(trial)
            trial.check()
        except Exception:
            trial.problems.append(traceback.format_exc())
        for outcome in outcomes:
            counts[name][outcome.partition(":")[0]] += 1
        if trial.problems:
            bad += 1
            print(
                f"trial {number} of seed {seed}, {name}: {trial.problems}".replace("\\n", "\n"),
                flush=True,
            )
        shutil.rmtree(trial.folder, ignore_errors=True)
    for name, of_kind in counts.items():
        right = of_kind.pop(RIGHT, 0)
        rest = ", ".join(f"{n} {what}" for what, n in of_kind.most_common())
        print(f"{name:16} {right} right{', ' * bool(rest)}{rest}")
    print(f"{tried} trials, {bad} bad, {time.monotonic() - begin:.0f} s")
    return bad


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fault_injection", description=__doc__)
    parser.add_argument("--times", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1e6, help="begin no trial after as many")
    kinds = [f.__name__ for f in FAULTS]
    parser.add_argument("--only", nargs="+", choices=kinds, default=kinds, help="kinds of faults")
    given = parser.parse_args()
    inside = os.environ.get("FAULTS_IN")
    if inside is None:
        # Not where temporary files are: a trial makes a small disk of that.
        cache_dir().mkdir(parents=True, exist_ok=True)
        restart(Path(tempfile.mkdtemp(prefix="faults-", dir=cache_dir())))
    warnings.simplefilter("ignore")
    logging.getLogger("acrobat").setLevel(logging.ERROR)
    # Whatever a trial has started becomes a child of this process when its parent ends.
    ctypes.CDLL(None).prctl(_BECOME_SUBREAPER, 1, 0, 0, 0)
    folder = Path(str(inside))
    try:
        return 1 if run(given.times, given.seed, folder, given.only, given.minutes) else 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
