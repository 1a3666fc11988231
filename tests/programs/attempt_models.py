"""Models with `try`: what may raise is tested before."""

# Models as they are written in a hurry.
# ruff: noqa: B905, RUF007, E722, SIM105
# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, arg-type"

from __future__ import annotations

import collections
from typing import Any

import acrobat as ab
from acrobat import Float32, Tensor


@ab.params
class P:
    emb: Float32[Tensor, "9 H"]
    w: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]


TABLE = {1: 5, 3: 7}


@ab.model
def key_of_a_dict(p: P, xs: list[int]) -> Any:
    d, counts = {x: i for i, x in enumerate(xs)}, {}
    try:
        k = d[3]
    except KeyError:
        k = -1
    for x in xs:
        try:
            counts[x] += 1
        except KeyError:
            counts[x] = 1
    try:
        y = d.pop(5)
    except KeyError:
        y = 0
    try:
        del d[1]
    except KeyError:
        y += 1
    return k, counts, y, sorted(d.items())


@ab.model
def items_of_lists(p: P, xs: list[int]) -> Any:
    ys, stack, found = list(xs), list(xs), []
    try:
        ys[3] = 100
        ys[0] = 50
    except IndexError:
        ys.append(-1)
    while True:
        try:
            found.append(stack.pop())
        except IndexError:
            break
    try:
        k = xs.index(5)
    except ValueError:
        k = -1
    try:
        h = p.emb[xs[-4]]
    except IndexError:
        h = p.b
    return ys, found, k, h


@ab.model
def the_kind_that_is_caught(p: P, xs: list[int]) -> Any:
    d, triple = {"a": 1}, (1, 2, 3)
    try:
        n = d["a"] + xs[0]
    except KeyError:
        n = 0
    try:
        m = triple[xs[-1]]
    except LookupError:
        m = -1
    try:
        c = "abcdefg"[xs[-1]]
    except (IndexError, ValueError):
        c = "?"
    return n, m, c


@ab.model
def several_statements(p: P, xs: list[int]) -> Any:
    try:
        a = TABLE[xs[0]]
        b = xs[a - 5]
        c = a // xs[1]
    except KeyError:
        return 1
    except (IndexError, ZeroDivisionError):
        return 2
    else:
        a += 100
    return a + b * c


@ab.model
def what_came_before_stays(p: P, xs: list[int]) -> Any:
    done = []
    for i in range(5):
        try:
            done.append(i)
            x = xs[i]
            done.append(10 * x)
            if 12 // x > 3:
                done.append(xs[i + 1])
        except IndexError:
            done.append(-1)
        except ZeroDivisionError:
            continue
        finally:
            done.append(7)
    return done


@ab.model
def texts(p: P, xs: list[int]) -> Any:
    found = []
    for token in ["3", "a", " 4 ", "", "5.5", str(xs[0]), "nan"]:
        try:
            n = int(token)
        except ValueError:
            try:
                n = 10 * round(float(token.replace("nan", "x")))
            except ValueError:
                n = -1
        found.append(n)
    return found


def ratio(a, b):
    try:
        return a / b
    except ZeroDivisionError:
        return 0.0


@ab.model
def in_a_helper(p: P, xs: list[int]) -> Any:
    def at(i):
        try:
            return xs[i]
        except IndexError:
            return -round(10 * ratio(1, i))

    total = 0.0
    for x in xs:
        try:
            total += 1 / x
        except ZeroDivisionError:
            pass
    return [ratio(a, b) for a, b in zip(xs, xs[1:])], ratio(1.0, 0.0), total, at(0), at(4)


@ab.model
def whatever_it_is(p: P, xs: list[int]) -> Any:
    try:
        k = xs[7]
    except Exception:
        k = 3
    try:
        k += xs[-2]
    except:
        k -= 1
    return k


def second(queue: collections.deque[int]) -> int:
    try:
        return queue[1]
    except LookupError:
        return -1


def occurrences(counts: collections.Counter[int], x: int) -> int:
    try:
        return counts[x]
    except KeyError:
        return -1


@ab.model
def other_kinds_of_dicts(p: P, xs: list[int]) -> Any:
    counts = collections.Counter(xs)
    return second(collections.deque(xs)), [occurrences(counts, x) for x in (1, 6)]


MODELS = (
    other_kinds_of_dicts, key_of_a_dict, items_of_lists, the_kind_that_is_caught,
    several_statements, texts, in_a_helper, whatever_it_is,
)  # fmt: skip


@ab.model
def with_its_exception(p: P, xs: list[int]) -> Any:
    try:
        x = str(xs[1])
    except IndexError as error:
        x = str(error)
    return x


@ab.model
def from_inside_a_function(p: P, xs: list[int]) -> Any:
    try:
        x = ratio(xs[0], 1)
    except ValueError:
        x = 0.0
    return x


@ab.model
def changed_before_it_raises(p: P, xs: list[int]) -> Any:
    stack, d = list(xs), {5: 3}
    try:
        x = d[stack.pop()]
    except KeyError:
        x = 0
    return x, stack


@ab.model
def only_if_it_is_evaluated(p: P, xs: list[int]) -> Any:
    try:
        x = xs[1] if xs[0] > 1 else 3
    except IndexError:
        x = 0
    return x


@ab.model
def twice_after_a_branch(p: P, xs: list[int]) -> Any:
    n = 0
    try:
        if xs[1] > 0:
            n += 1
        n += 1
    except IndexError:
        n = -1
    return n


REFUSED = (
    with_its_exception, from_inside_a_function, changed_before_it_raises, only_if_it_is_evaluated,
    twice_after_a_branch, what_came_before_stays,
)  # fmt: skip
