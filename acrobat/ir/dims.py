"""Symbolic dimensions: integer-linear forms such as `H`, `5H`, `2H + 1`.

    dim ::= const + coeff * symbol + ...        canonical: symbols sorted, no zero coefficient

Two dimensions are equal iff their canonical forms are; nothing is assumed about symbols but that
they are positive integers, bound when a model is compiled with actual parameters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_TERM = re.compile(r"(?:(\d+)\s*\*?\s*)?([A-Za-z_]\w*)|(\d+)")


@dataclass(frozen=True, slots=True)
class Dim:
    """One dimension. `terms` maps symbol to coefficient, as sorted pairs."""

    terms: tuple[tuple[str, int], ...] = ()
    const: int = 0

    @staticmethod
    def of(value: int | str | Dim) -> Dim:
        """`Dim.of(5)`, `Dim.of("2H")`, `Dim.of("H + 1")`; ValueError if it cannot be read."""
        if isinstance(value, Dim):
            return value
        if isinstance(value, int):
            return Dim((), value)
        return _parse(value)

    @property
    def known(self) -> int | None:
        """The number if no symbol is left, else None."""
        return None if self.terms else self.const

    @property
    def symbols(self) -> tuple[str, ...]:
        """The symbols that occur, sorted."""
        return tuple(name for name, _ in self.terms)

    def __add__(self, other: Dim) -> Dim:
        terms = dict(self.terms)
        for name, coeff in other.terms:
            terms[name] = terms.get(name, 0) + coeff
        return _canonical(terms, self.const + other.const)

    def __sub__(self, other: Dim) -> Dim:
        return self + other.scale(-1)

    def scale(self, factor: int) -> Dim:
        """`factor` times this dimension."""
        return _canonical({n: c * factor for n, c in self.terms}, self.const * factor)

    def divide(self, n: int) -> Dim | None:
        """This dimension over `n` if every coefficient divides, else None."""
        if n <= 0 or self.const % n or any(c % n for _, c in self.terms):
            return None
        return Dim(tuple((name, c // n) for name, c in self.terms), self.const // n)

    def bind(self, sizes: Mapping[str, int]) -> Dim:
        """Replace every symbol that `sizes` knows by its number."""
        const, rest = self.const, {}
        for name, coeff in self.terms:
            if name in sizes:
                const += coeff * sizes[name]
            else:
                rest[name] = coeff
        return _canonical(rest, const)

    def __str__(self) -> str:
        parts = [name if c == 1 else f"{c}{name}" for name, c in self.terms]
        if self.const or not parts:
            parts.append(str(self.const))
        return " + ".join(parts).replace("+ -", "- ")


def _canonical(terms: Mapping[str, int], const: int) -> Dim:
    return Dim(tuple(sorted((n, c) for n, c in terms.items() if c)), const)


def _parse(text: str) -> Dim:
    total = Dim()
    for part in text.split("+"):
        match = _TERM.fullmatch(part.strip())
        if match is None:
            raise ValueError(f"cannot read the dimension {text!r}")
        coeff, name, number = match.groups()
        total += Dim((), int(number)) if number else Dim(((name, int(coeff or 1)),), 0)
    return total
