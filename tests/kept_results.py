"""What results take that are kept:

    python -m tests.kept_results --times 1000000

Every call's result is an array of 64 bytes, and all of them are kept. Exit code: 1 if they take
more than 1 KiB each (1 GiB for a million), or a mapping each.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Literal

import acrobat as ab
from tests.runtime.kept_models import encode, trees, weights


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def _mappings() -> int:
    return len(Path("/proc/self/maps").read_text().splitlines())


def keep(times: int, executor: Literal["aot", "vm"]) -> tuple[int, int]:
    """Bytes and mappings that so many results take."""
    options = ab.Options(executor=executor, threads=1)
    fast = ab.compile(encode, weights(16), "cpu", options)
    inputs = fast.prepare(trees(1, 1, 16))
    first = fast.run(inputs)[0].copy()
    bytes_before, maps_before = _resident(), _mappings()
    kept = [fast.run(inputs)[0] for _ in range(times)]
    taken = _resident() - bytes_before, _mappings() - maps_before
    assert all((result == first).all() for result in kept)
    return taken


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.kept_results", description=__doc__)
    parser.add_argument("--times", type=int, default=1_000_000)
    parser.add_argument("--executor", choices=["aot", "vm"], default="aot")
    given = parser.parse_args()
    taken, maps = keep(given.times, given.executor)
    print(f"{given.times} results: {taken / 2**20:.0f} MiB, {maps} mappings more")
    return int(taken > given.times * 1024 or maps > 1000)


if __name__ == "__main__":
    sys.exit(main())
