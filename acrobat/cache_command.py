"""`acrobat cache`: show what the cache contains, and make it smaller."""

from __future__ import annotations

import argparse
import re
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from .cache import Item, cache_dir, find_items, most_bytes, prune

_UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
_SECONDS = {"h": 3600, "d": 86400, "w": 7 * 86400}


def add_cache(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    actions = parser.add_subparsers(dest="action")
    actions.add_parser("show", help="where it is, and what is in it (the default)")
    actions.add_parser("clear", help="remove everything that was built")
    pruning = actions.add_parser("prune", help="remove what has not been used for longest")
    pruning.add_argument("--older-than", type=_age, help="not used for: 12h, 30d, 4w")
    pruning.add_argument("--max-size", type=_size, help="until so much is left: 500MiB, 2GiB")


def run_cache(args: argparse.Namespace) -> int:
    """Run the command and return the exit code."""
    folder = cache_dir()
    if args.action == "clear":
        print(f"removed {_counted(prune(folder, 0))} from {folder}")
    elif args.action == "prune":
        if args.older_than is None and args.max_size is None:
            raise ValueError("say what to remove: --older-than 30d, --max-size 1GiB, or both")
        most = float("inf") if args.max_size is None else args.max_size
        since = 0.0 if args.older_than is None else time.time() - args.older_than
        print(f"removed {_counted(prune(folder, most, since))} from {folder}")
    else:
        kinds: dict[str, list[Item]] = defaultdict(list)
        for item in find_items(folder):
            kinds[item.kind].append(item)
        for kind, items in sorted(kinds.items()):
            print(f"{kind:<12} {_counted(items)}")
        print(summary(folder))
    return 0


def summary(folder: Path) -> str:
    """One line: where the cache is, its size, and the bound on its size."""
    bound = f"of at most {_shown(most_bytes())}" if most_bytes() else "without a bound"
    return f"{folder}: {_counted(find_items(folder))} {bound}"


def _counted(items: Sequence[Item]) -> str:
    files = f"{len(items)} item{'s' * (len(items) != 1)}"
    return f"{files}, {_shown(sum(item.bytes for item in items))}"


def _shown(size: int) -> str:
    for unit, least in reversed(_UNITS.items()):
        if size >= least:
            return f"{size / least:.1f} {unit}"
    return f"{size} bytes"


def _size(text: str) -> float:
    return _number(text, _UNITS, "a size: 500MiB or 2GiB")


def _age(text: str) -> float:
    return _number(text, _SECONDS, "an age: 12h, 30d or 4w")


def _number(text: str, units: dict[str, int], wanted: str) -> float:
    found = re.fullmatch(rf"([0-9]{{1,9}}(?:\.[0-9]{{1,9}})?) ?({'|'.join(units)})", text, re.ASCII)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r}: write {wanted}")
    return float(found[1]) * units[found[2]]
