"""Names of the functions and data types of a module: they are its keys, so no two are the same.

An author's name stays as it is; what the compiler adds to it begins with `#`, which no identifier
contains: the second copy of `step` is `step#2`, whatever else is called `step_2`.
"""

from __future__ import annotations

from collections.abc import Iterable


class Names:
    """The names that are taken in a module."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._counts: dict[str, int] = {}

    def free(self, wanted: str) -> str:
        """`wanted` if it is not taken, else `wanted#2`, `wanted#3`, ...; marks it as taken."""
        name, n = wanted, self._counts.get(wanted, 1)
        while name in self._taken:
            n += 1
            name = f"{wanted}#{n}"
        self._counts[wanted] = n
        self._taken.add(name)
        return name


def authors(name: str) -> str:
    """What the author calls the function of this name."""
    return name.partition("#")[0]
