"""Models that format texts: `%`, `.format`, f-strings of branches."""

# Models as they are written in a hurry.
# ruff: noqa: UP031, UP032
# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, arg-type"

from __future__ import annotations

from typing import Any

import acrobat as ab
from acrobat import Float32, Tensor


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


@ab.model
def formatted(p: P, xs: list[int]) -> Any:
    counts = {}
    for x in xs:
        key = "%d of %s (100%%)" % (x % 3, "odd" if x % 2 else "even")
        counts[key] = counts.get(key, 0) + 1
    last = "%s" % len(xs)
    return counts, last == "3", "%.2f" % 0.5 == "0.50", "%d" % 2.7 == "2"


@ab.model
def formatted_in_columns(p: P, xs: list[int]) -> Any:
    n, k = xs[0], xs[0] * 0.37
    a = [
        "%5d|" % n,
        "%-5d|" % n,
        "%05d|" % n,
        "%+d" % n,
        "% d" % n,
        "%x" % (n + 20),
        "%.3e" % k,
        "%g" % k,
        "%8.2f|" % k,
        "%-8.2f|" % k,
        "%08.2f|" % k,
    ]
    b = [
        "%s" % "ab",
        "%5s|" % "ab",
        "%-5s|" % "ab",
        "%r" % "ab",
        "%5s|" % n,
        "%-6s|%%" % k,
        "%d" % -k,
        "%s and %s" % (n, "x"),
    ]
    return a, b


@ab.model
def texts_of_branches(p: P, xs: list[int]) -> Any:
    n = len(xs)
    return [f"H{n if n > 1 else ''}", f"{'none' if n == 1 else n}-{xs[0] if n > 2 else None}"]


@ab.model
def formatted_by_a_method(p: P, xs: list[int]) -> Any:
    n, k = len(xs), xs[0] * 0.37
    ys = [*xs, 8, 9]
    a = ["{} {:.2f}".format(n, k), "{1}-{0}-{1}".format(n, "a"), "{a:>4}|{{}}".format(a=n)]
    return a, "{!r}{b}".format("x", b=k), "{}{}".format(ys.pop(), ys.pop()), ys


MODELS = [formatted, formatted_in_columns, texts_of_branches, formatted_by_a_method]
