"""Tries programs that are not in the model language: each is refused with source and caret.

    python -m tests.illegal_programs            every mistake of the table, and a summary by kind
    python -m tests.illegal_programs 2000       and as many legal programs with one thing changed
    python -m tests.illegal_programs --show accepted     the programs that ended in this way

A program ends in one of these ways; those marked * are faults.

    caret        a ModelError with file, line, caret, code, and what to write instead
    Python       Python itself refuses the module, as it does without this package
    accepted     compiled: a fault * for a mistake of the table, no fault for a changed program
    no caret *   an error without a place, or without a word of what to do
    traceback *  any other exception
    late *       more than 2 seconds of CPU time
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, ModuleType

import numpy as np

import acrobat as ab
from acrobat.lang.diagnostics import CODES
from acrobat.pipeline import run_pipeline
from tests.frontend.mistakes import programs
from tests.frontend.mutations import mutated_programs
from tests.loading import load_text

SECONDS = 2.0
HIDDEN, ROWS = 4, 7
FAULTS = ("no caret", "traceback", "late")


@dataclass(frozen=True, slots=True)
class Ending:
    """How a program ended, what it said, and the seconds it took."""

    way: str
    text: str
    seconds: float


class _Late(BaseException):
    pass


def _ring(number: int, frame: FrameType | None) -> None:
    raise _Late


def _weights(module: ModuleType) -> object:
    """The module's `WEIGHTS`, or weights for the table's class `P`."""
    if hasattr(module, "WEIGHTS"):
        return module.WEIGHTS
    h, v = HIDDEN, ROWS
    parts = {n: module.Inner(v=np.zeros(h)) for n in ("one", "two")}
    arrays = {"emb": (v, h), "w": (h, h), "b": (h,), "z": (2 * h,)}
    return module.P(**{n: np.zeros(s) for n, s in arrays.items()}, **parts)


def try_source(source: str, folder: Path, name: str) -> Ending:
    """How the program ends; `name` is that of its module and file."""
    start = time.process_time()
    before = signal.signal(signal.SIGPROF, _ring)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        way, text = _refused(source, folder, name)
    except _Late:
        way, text = "late", ""
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        sys.modules.pop(name, None)
    seconds = time.process_time() - start
    return Ending("late" if seconds > SECONDS else way, text, seconds)


def _refused(source: str, folder: Path, name: str) -> tuple[str, str]:
    try:
        module = load_text(source, folder, name)
        run_pipeline(module.f, _weights(module), ab.Options())
    except ab.ModelError as error:
        return _as_refused(error, f"{folder / name}.py")
    except Exception as error:
        if _from_python(error, f"{folder / name}.py"):
            return "Python", f"{type(error).__name__}: {error}"
        return "traceback", "".join(traceback.format_exception(error))
    return "accepted", ""


def _as_refused(error: ab.ModelError, file: str) -> tuple[str, str]:
    text = error.render()
    for found in error.errors:
        placed = found.span.file == file and found.span.line > 0 and found.code in CODES
        marked = any(set(line.strip()) == {"^"} for line in found.render().split("\n"))
        if not placed or not marked or not found.hint:
            return "no caret", text
    return "caret", text


def _from_python(error: Exception, file: str) -> bool:
    """Whether the error comes from the module's own lines, or from Python's compiler."""
    if isinstance(error, SyntaxError):
        return True
    frames = traceback.extract_tb(error.__traceback__)
    return frames[-1].filename == file or "/acrobat/" not in frames[-1].filename


def try_all(sources: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str, Ending]]:
    """Every (kind, source) with its ending."""
    with tempfile.TemporaryDirectory() as folder:
        for n, (kind, source) in enumerate(sources):
            yield kind, source, try_source(source, Path(folder), f"illegal_{n}")


def is_fault(ending: Ending, mistake: bool) -> bool:
    """Whether a program of the table (`mistake`), or a changed one, should have ended otherwise."""
    return ending.way in FAULTS or (mistake and ending.way == "accepted")


def main() -> int:
    """The command; 1 if there was a fault."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("changed", type=int, nargs="?", default=0, help="how many programs")
    parser.add_argument("--seed", type=int, default=1, help="of the changed programs")
    parser.add_argument("--show", default="", help="print the programs that ended in this way")
    given = parser.parse_args()
    changed = mutated_programs(random.Random(given.seed), given.changed)
    table: dict[str, Counter[str]] = defaultdict(Counter)
    slowest, faults = 0.0, 0
    for source_of, sources in (("mistakes", programs()), ("changed", changed)):
        for kind, source, ending in try_all(sources):
            table[kind][ending.way] += 1
            slowest = max(slowest, ending.seconds)
            bad = is_fault(ending, mistake=source_of == "mistakes")
            faults += bad
            if ending.way == given.show or (bad and not given.show):
                print(
                    f"==== {kind}: {ending.way} ({ending.seconds:.2f} s)\n{source}\n{ending.text}"
                )
    ways = ("caret", "Python", "accepted", *FAULTS)
    print("| kind | tried | " + " | ".join(ways) + " |\n|---|" + "---|" * (1 + len(ways)))
    whole: Counter[str] = Counter()
    for kind, counts in table.items():
        whole += counts
        print(f"| {kind} | {counts.total()} | " + " | ".join(str(counts[w]) for w in ways) + " |")
    print(f"| all | {whole.total()} | " + " | ".join(str(whole[w]) for w in ways) + " |")
    print(f"{faults} faults; the slowest took {slowest:.2f} s")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
