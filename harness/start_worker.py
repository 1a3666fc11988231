"""`python -m harness.start_worker PID`: a worker of the process PID (`harness.worker`).

The worker ends with that process from the first moment on, even while it imports its modules.
"""

from __future__ import annotations

import sys

from .tied import end_with


def main() -> None:
    """Answer requests until standard input or the parent ends."""
    end_with(int(sys.argv[1]))
    from .worker import main as answer

    answer()


if __name__ == "__main__":
    main()
