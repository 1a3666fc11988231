"""Reduces a program that fails to a small one that fails in the same way.

    python -m tests.shrink FILE                    writes FILE_small.py beside FILE
    python -m tests.shrink FILE --seconds 20       for one try; longer is a hang
    python -m tests.shrink FILE --minutes 10       stop after as many

A program is a file as `tests.random_programs` writes them: models, `CASES`, `KERNELS`. Every try
runs in a process of its own, so that programs which crash or hang can be reduced, too. Exit code: 1
if the program does not fail.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import os
import select
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from tests.programs.reduction import edits, size

# What a file makes of itself: the kind of its failure, "" if there is none.
Try = Callable[[str], str]


def reduce(source: str, attempt: Try, end: float = float("inf")) -> str:
    """The smallest text that one change after the other leads to while `attempt` says the same as
    of `source`; `end` is when to stop, in seconds of `time.monotonic`."""
    wanted = attempt(source)
    tree = ast.parse(source)
    tried = {ast.unparse(tree)}
    # The edits before this one have just been tried, on a tree that was hardly different.
    skip = 0
    while True:
        for n, edit in enumerate(edits(tree)):
            if time.monotonic() > end:
                return ast.unparse(tree) + "\n"
            if n < skip:
                continue
            smaller = edit()
            text = ast.unparse(smaller)
            if text in tried or (size(smaller), text) >= (size(tree), ast.unparse(tree)):
                continue
            tried.add(text)
            if not _parses(text):
                continue
            if attempt(text) == wanted:
                tree, skip = smaller, n
                break
        else:
            if skip == 0:
                return ast.unparse(tree) + "\n"
            skip = 0


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def in_a_process(attempt: Try, seconds: float) -> Try:
    """`attempt` in a process of its own, which may crash, or take as long as `seconds`."""

    def run(source: str) -> str:
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reading)
            os.setsid()
            _child(attempt, source, writing)
        os.close(writing)
        said, code = _listen(pid, reading, seconds)
        os.close(reading)
        if code is None:
            return "hangs"
        if os.WIFSIGNALED(code):
            return f"ends the process ({signal.Signals(os.WTERMSIG(code)).name})"
        return said

    return run


def _child(attempt: Try, source: str, writing: int) -> None:
    try:
        # A candidate may ask for all memory.
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        os.write(writing, attempt(source).encode()[:4096])
    finally:
        os._exit(0)


def _listen(pid: int, reading: int, seconds: float) -> tuple[str, int | None]:
    """What the child wrote, and how it ended: None if it was killed for taking too long."""
    ready, _, _ = select.select([reading], [], [], seconds)
    if not ready:
        os.killpg(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        return "", None
    said = os.read(reading, 4096).decode(errors="replace")
    return said, os.waitpid(pid, 0)[1]


def ending_of(source: str) -> str:
    """How the program fails, "" if it does not."""
    from tests.programs.try_program import kind_of, try_program

    with tempfile.TemporaryDirectory() as folder:
        try:
            try_program(source, Path(folder))
        except Exception as error:
            return kind_of(error)
    return ""


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--minutes", type=float, default=60.0)
    given = parser.parse_args()
    os.environ.setdefault("ACROBAT_VERIFY", "1")
    importlib.import_module("tests.programs.try_program")  # here, so that no try has to
    source = given.file.read_text()
    attempt = in_a_process(ending_of, given.seconds)
    try:
        kind = attempt(source)
    except Exception:
        traceback.print_exc()
        return 1
    if not kind:
        print(f"{given.file} does not fail")
        return 1
    print(f"{kind}: {size(ast.parse(source))} nodes", flush=True)
    small = reduce(source, attempt, time.monotonic() + given.minutes * 60)
    path = given.file.with_name(f"{given.file.stem}_small.py")
    path.write_text(small)
    print(f"{path}: {size(ast.parse(small))} nodes\n\n{small}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
