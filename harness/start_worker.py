"""`python -m harness.start_worker PID`: a worker of the process PID (`harness.worker`).

It ends with that process from its first moment on, also while it still imports what a worker needs.
"""

from __future__ import annotations

import sys

from .tied import end_with


def main() -> None:
    """Answer requests until standard input ends, or the parent does."""
    end_with(int(sys.argv[1]))
    from .worker import main as answer

    answer()


if __name__ == "__main__":
    main()
