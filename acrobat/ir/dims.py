"""Symbolic dimensions: polynomials with integer coefficients, such as `H`, `2H + 1`, `H*D`.

    dim     ::= const + coeff * product + ...   canonical: products sorted, no zero coefficient
    product ::= symbol * symbol * ...           one name, its symbols sorted: "D*H"

Two dimensions are equal iff their canonical forms are; nothing is assumed about symbols except that
they are positive integers, bound when a model is compiled with actual weights.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_FACTOR = re.compile(r"(\d+)?\s*([A-Za-z_]\w*)?")


@dataclass(frozen=True, slots=True)
class Dim:
    """One dimension. `terms` maps products of symbols to coefficients, as sorted pairs."""

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
        return tuple(sorted({s for name, _ in self.terms for s in name.split("*")}))

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

    def times(self, other: Dim) -> Dim:
        """The product of both."""
        total = self.scale(other.const) + Dim(other.terms, 0).scale(self.const)
        for a, m in self.terms:
            for b, n in other.terms:
                total += Dim((("*".join(sorted([*a.split("*"), *b.split("*")])), m * n),), 0)
        return total

    def divide(self, n: int) -> Dim | None:
        """This dimension over `n` if every coefficient divides, else None."""
        if n <= 0 or self.const % n or any(c % n for _, c in self.terms):
            return None
        return Dim(tuple((name, c // n) for name, c in self.terms), self.const // n)

    def is_linear(self, name: str) -> bool:
        """Whether the symbol `name` occurs in one term, which is a multiple of it."""
        return [t for t, _ in self.terms if name in t.split("*")] == [name]

    def solve(self, name: str, size: Dim) -> Dim | None:
        """What the symbol `name`, in which this dimension is linear, stands for if the dimension is
        `size`; None if no positive size does."""
        coefficient = dict(self.terms)[name]
        rest = Dim(tuple(t for t in self.terms if t[0] != name), self.const)
        value = (size - rest).divide(coefficient)
        return None if value is None or (not value.terms and value.const < 1) else value

    def bind(self, sizes: Mapping[str, int]) -> Dim:
        """Replace every symbol that `sizes` knows by its number."""
        return self.replace({name: Dim((), size) for name, size in sizes.items()})

    def replace(self, dims: Mapping[str, Dim]) -> Dim:
        """Replace every symbol that `dims` knows by what it stands for there."""
        if not any(s in dims for s in self.symbols):
            return self
        total = Dim((), self.const)
        for name, coeff in self.terms:
            product = Dim((), coeff)
            for symbol in name.split("*"):
                product = product.times(dims.get(symbol, Dim(((symbol, 1),), 0)))
            total += product
        return total

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
        product = Dim((), 1)
        for factor in part.split("*"):
            match = _FACTOR.fullmatch(factor.strip())
            if match is None or match.groups() == (None, None):
                raise ValueError(f"cannot read the dimension {text!r}")
            number, name = match.groups()
            product = product.scale(int(number or 1))
            product = product.times(Dim(((name, 1),), 0)) if name else product
        total += product
    return total
