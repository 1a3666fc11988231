"""Build DyNet natively, from its source package on PyPI, and our driver for it, once per machine.

    python -m baselines.dynet.build [--jobs N] [--cuda sm_90]

The result is put into acrobat's cache, with the log beside it. `--cuda` builds both for a GPU
(cuda.py) instead of the CPU (cpu.py).
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys

from acrobat.cache import rebuild_damaged
from acrobat.errors import AcrobatError

from .cpu import build
from .cuda import build_cuda
from .failure import forget_failure, note_failure

# Memory that one g++ needs to compile one of DyNet's units.
_JOB_BYTES = 1 << 30


def _default_jobs() -> int:
    """One job per core, but no more than fit into memory."""
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, min(len(os.sched_getaffinity(0)), free // _JOB_BYTES))


def main() -> int:
    """Run the command; returns its exit status."""
    parser = argparse.ArgumentParser(description="Build DyNet natively and its driver.")
    parser.add_argument("--jobs", type=int, default=_default_jobs())
    parser.add_argument("--cuda", metavar="ARCH", help="build for a GPU, such as sm_90")
    args = parser.parse_args()

    def note(line: str) -> None:
        """Print a line; on a terminal it overwrites the previous one."""
        if sys.stderr.isatty():
            width = shutil.get_terminal_size().columns - 1
            print(f"\r\x1b[K{line[:width]}", end="", file=sys.stderr, flush=True)
        else:
            print(line, file=sys.stderr, flush=True)

    target = args.cuda or "cpu"
    try:
        if args.cuda:
            rebuild_damaged(lambda: build_cuda(args.cuda, max(1, args.jobs), note))
        else:
            rebuild_damaged(lambda: build(max(1, args.jobs), note))
    except (AcrobatError, OSError) as error:
        print(f"\n{error}", file=sys.stderr)
        note_failure(target, str(error))
        return 1
    except Exception as error:  # A bug of ours: the rows must show it, too.
        note_failure(target, f"{type(error).__name__}: {error}")
        raise
    forget_failure(target)
    print(file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
