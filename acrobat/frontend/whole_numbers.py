"""Functions of `math` on whole numbers, and `math.prod`, in the model language."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any


def _gcd(*numbers):
    found = 0
    for number in numbers:
        found = _gcd_of(found, number)
    return found


def _gcd_of(a, b):
    a, b = abs(a), abs(b)
    while b > 0:
        a, b = b, a % b
    return a


def _lcm(*numbers):
    found = 1
    for number in numbers:
        if number == 0:
            return 0
        found = abs(number) // _gcd_of(found, number) * found
    return found


def _factorial(n):
    if n < 0:
        raise ValueError("factorial() not defined for negative values")
    found = 1
    for factor in range(2, n + 1):
        found = found * factor
    return found


def _perm(n, k=None):
    if k is None:
        return _factorial(n)
    if n < 0 or k < 0:
        raise ValueError("n and k must be non-negative integers")
    found = 1
    for i in range(k):
        found = found * (n - i)
    return found


def _comb(n, k):
    if n < 0 or k < 0:
        raise ValueError("n and k must be non-negative integers")
    if k > n:
        return 0
    found = 1
    for i in range(min(k, n - k)):
        # Divided first by what they share, so that no product is larger than the result.
        shared = _gcd_of(found, i + 1)
        found = found // shared * ((n - i) // ((i + 1) // shared))
    return found


def _isqrt(n):
    if n < 0:
        raise ValueError("isqrt() argument must be nonnegative")
    found = int(math.sqrt(float(n)))
    # A float is off by one at most, beyond 2**52.
    if found * found > n:
        return found - 1
    if (found + 1) * (found + 1) <= n:
        return found + 1
    return found


def _prod(numbers, start=None):
    found = 1 if start is None else start
    for number in numbers:
        found = found * number
    return found


# By the identity of what a model calls.
WHOLE_NUMBERS: Mapping[int, Callable[..., Any]] = {
    id(_gcd_of): _gcd_of,
    id(math.gcd): _gcd,
    id(math.lcm): _lcm,
    id(math.factorial): _factorial,
    id(_factorial): _factorial,
    id(math.perm): _perm,
    id(math.comb): _comb,
    id(math.isqrt): _isqrt,
    id(math.prod): _prod,
}
