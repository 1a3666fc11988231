"""Numbers and text as C++ literals, exactly."""

from __future__ import annotations

import math
from fractions import Fraction


def boolean(value: bool) -> str:
    """A bool."""
    return "true" if value else "false"


def integer(value: int) -> str:
    """An int64_t. The smallest one has no literal: `-` would be applied to too large a number."""
    if value == -(2**63):
        return f"int64_t{{{value + 1} - 1}}"
    return f"int64_t{{{value}}}"


def floating(value: float) -> str:
    """A double, without needing a header: decimal if that is exact, otherwise hexadecimal."""
    if math.isnan(value):
        return '__builtin_nan("")'
    if math.isinf(value):
        return "__builtin_inf()" if value > 0 else "-__builtin_inf()"
    text = repr(float(value))
    return f"double{{{text if Fraction(text) == Fraction(value) else float(value).hex()}}}"


def string(text: str) -> str:
    """A string literal for `text` in UTF-8, written in ASCII. No escape can extend into the next
    character."""
    return '"' + "".join(map(_character, text.encode(errors="surrogatepass"))) + '"'


def _character(byte: int) -> str:
    if not 0x20 <= byte < 0x7F or byte in b'"\\?':
        return f"\\{byte:03o}"
    return chr(byte)
