"""Models with classes whose values have a length, items, a truth or a text by their methods."""

# Models as they are written in a hurry.
# ruff: noqa: B905, C416
# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, attr-defined"
# mypy: disable-error-code="no-any-return, misc, operator, index, override, arg-type"
# mypy: disable-error-code="call-overload, type-var, call-arg"

from __future__ import annotations

from typing import Any

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


class Sentence:
    def __init__(self, xs):
        self.xs = xs

    def __len__(self):
        return len(self.xs)

    def __getitem__(self, i):
        return self.xs[i]

    def __contains__(self, x):
        return x % 3 in self.xs

    def __iter__(self):
        return iter(self.xs)

    def __bool__(self):
        return len(self.xs) > 1

    def __str__(self):
        return f"S{len(self.xs)}"


class Document:
    def __init__(self, sentences):
        self.sentences = sentences

    def __iter__(self):
        for s in self.sentences:
            if len(s) > 1:
                yield s

    def __len__(self):
        return sum(len(s) for s in self.sentences)

    def __getitem__(self, k):
        return self.sentences[k]

    def __repr__(self):
        return f"D{len(self)}"


class Pairs:
    def __init__(self, xs):
        self.xs = xs

    def __iter__(self):
        return zip(self.xs, self.xs[1:])


@ab.data
class Bag:
    xs: list[int]

    def __len__(self):
        return len(self.xs)

    def __iter__(self):
        return (x + 1 for x in self.xs)

    def __getitem__(self, i):
        return self.xs[i] if i else -1


class Router:
    def __init__(self, w):
        self.w = w

    def route(self, x):
        return ops.tanh(x @ self.w)

    def __call__(self, x):
        return self.route(x) + x


@ab.model
def lengths_and_items(p: P, xs: list[int]) -> Any:
    s = Sentence(xs)
    h = p.b
    for x in s:
        h = h + p.emb[x]
    return h, len(s), s[0], s[-1], [i * x for i, x in enumerate(s)], sum(s), sorted(s), list(s)


@ab.model
def members(p: P, xs: list[int]) -> Any:
    s = Sentence(xs)
    return 5 in s, 1 not in s, [x for x in range(9) if x in s]


@ab.model
def truths(p: P, xs: list[int]) -> Any:
    s, d, n = Sentence(xs), Document([Sentence(xs[1:])]), 0
    while s and n < 3:
        n += 1
    return n, 1 if not s else 2, bool(s), 1 if d else 0, not d


@ab.model
def one_that_may_be_missing(p: P, xs: list[int]) -> Any:
    s = Sentence(xs[:1]) if len(xs) > 2 else None
    return 1 if s is not None and s else 2


@ab.model
def nested(p: P, xs: list[int]) -> Any:
    d = Document([Sentence(xs), Sentence(xs[1:]), Sentence(xs[:1])])
    words = [x for s in d for x in s]
    return [sum(s) for s in d], len(d), str(d), repr(d), f"{d[0]}|{d}", d[0][0], words, d[-1].xs


@ab.model
def iterators_of_several_kinds(p: P, xs: list[int]) -> Any:
    return [a - b for a, b in Pairs(xs)], [a for s in [Sentence(xs), Sentence(xs[:2])] for a in s]


@ab.model
def data_with_methods(p: P, xs: list[int]) -> Any:
    b = Bag(xs)
    return len(b), [x for x in b], b[0], b[-1], 5 in b, 1 if b else 0, sum(b)


@ab.model
def objects_without_a_name(p: P, xs: list[int]) -> Any:
    return Router(p.w).route(p.b), Router(p.w)(p.emb[xs[0]]), len(Sentence(xs))


@ab.model
def of_equal_lengths(p: P, xs: list[int]) -> Any:
    ys = [x + 1 for x in xs]
    h = p.b
    for x, y in zip(xs, ys, strict=True):
        h = h + p.emb[x] * y
    return (
        h,
        [a * b * c for a, b, c in zip(xs, ys, xs[::-1], strict=True)],
        list(zip(xs, ys, strict=False)),
    )


MODELS = (
    of_equal_lengths,
    lengths_and_items, members, truths, one_that_may_be_missing, nested, iterators_of_several_kinds,
    data_with_methods, 
    objects_without_a_name,
)  # fmt: skip


@ab.model
def truth_of_a_missing_one(p: P, xs: list[int]) -> Any:
    s = Sentence(xs) if len(xs) > 2 else None
    if s:
        return len(s)
    return -1


@ab.model
def a_slice_of_an_object(p: P, xs: list[int]) -> Any:
    b = Bag(xs)
    return b[1:]


class Endless:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        return self.n


@ab.model
def its_own_iterator(p: P, xs: list[int]) -> Any:
    return [x for x in Endless(3)]


class Wrong:
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n * 0.5


@ab.model
def length_that_is_no_int(p: P, xs: list[int]) -> Any:
    return len(Wrong(xs[0]))


# Each with a part of its error.
REFUSED = (
    (truth_of_a_missing_one, "the condition is a Sentence | None"),
    (a_slice_of_an_object, "a slice as the argument of __getitem__ of a Bag"),
    (its_own_iterator, "a loop runs over a list or a range, this is Endless"),
    (length_that_is_no_int, "__len__ returns a float"),
)
