"""python -m tests.ptx: everything that the emulator can run, with counts.

    python -m tests.ptx launched --arch 80 86 90       # families of kernels, launch by launch
    python -m tests.ptx persistent --workload drnn     # persistent kernels of workloads at tiny
    python -m tests.ptx tiles                          # the tiles of TreeLSTM and BERxiT at small
    python -m tests.ptx mutations --workload mvrnn     # mistakes in synchronisation
    python -m tests.ptx                                # all of it, some ten minutes

The exit code is 1 if something was wrong.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "kernels"), str(HERE.parent / "runtime" / "cuda")]
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import workloads  # noqa: E402
from tests.ptx import campaign  # noqa: E402

PARTS = {
    "launched": campaign.launched,
    "persistent": campaign.persistent,
    "tiles": campaign.tiles,
    "mutations": campaign.mutations,
}


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.ptx", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("part", nargs="*", choices=[[], *PARTS], default=[])
    parser.add_argument("--arch", nargs="+", type=int, default=[80, 86, 90])
    parser.add_argument("--workload", nargs="+", choices=workloads.NAMES, default=workloads.NAMES)
    parser.add_argument("--programs", type=int, default=3, help="of a persistent kernel")
    parser.add_argument("--runs", type=int, default=3, help="interleavings of each")
    arguments = parser.parse_args()
    wrong = 0
    for name in arguments.part or PARTS:
        start = time.process_time()
        for line, good in PARTS[name](arguments):
            wrong += not good
            print(line if good else f"{line}  WRONG", flush=True)
        print(f"{name}: {time.process_time() - start:.0f} s of CPU time\n", flush=True)
    print("nothing was wrong" if wrong == 0 else f"wrong: {wrong}")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
