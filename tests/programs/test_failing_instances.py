"""Instances on which a model fails: plain Python raises an error, and compiled, with either
executor, it is an InstanceError that names the instance and says the same."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from tests.loading import load_text

MODEL = """
import math

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

LONG = "the model's own"


@ab.params
class P:
    b: Float32[Tensor, "H"]


@ab.model
def checked(p: P, n: int) -> int:
    assert n != 21, f"{n} of {n / 2} is {n > 3}" + "!"
    if n == 22:
        raise RuntimeError(LONG)
    return n


@ab.model
def f(p: P, n: int, x: float) -> float:
    xs = [1, 2]
    if n == 0:
        assert x > 100
    elif n == 1:
        raise ValueError
    elif n == 2:
        raise KeyError("no\\n\\"key\\"?? \\N{SNOWMAN}" + str(x))
    elif n == 3:
        while n:
            x += xs.pop()
    elif n == 4:
        xs[2] = 1
        x += sum(xs)
    elif n == 5:
        del xs[-3]
        x += sum(xs)
    elif n == 6:
        a, b, c = xs
        x += c
    elif n == 7:
        a, b, c, *rest = xs
        x += a
    elif n == 8:
        return math.sqrt(-x)
    elif n == 9:
        return math.exp(1000 * x)
    elif n == 10:
        return math.log(x - x)
    elif n == 11:
        return 0.0 ** -x
    elif n == 12:
        return (-x) ** 0.5
    elif n == 13:
        return (x * 1e300) ** 2
    elif n == 14:
        return float(n ** (n - 20))
    elif n == 15:
        return float(10 ** n ** 2)
    elif n == 16:
        return float(1 << (n - 20))
    elif n == 17:
        return float(n << 60)
    elif n == 18:
        return float(max([y for y in xs if y > 2]))
    elif n == 19:
        return float(xs.index(n))
    elif n == 20:
        return math.fmod(x, 0)
    elif n == 23:
        return float(round(x * 1e30))
    elif n == 24:
        xs.clear()
        return float(ops.argmax(xs) + sum(xs))
    elif n == 25:
        return float(sum([checked(p, i) for i in range(18, 22)]))
    return x + checked(p, n)
"""
OUT = "list index {} is out of range: the list has {}"
# The number of the instance, what is said of it, and what plain Python raises; None if nothing.
FAILURES: list[tuple[int, str, type[Exception] | None]] = [
    (0, "AssertionError: x > 100", AssertionError),
    (1, "ValueError", ValueError),
    (2, 'KeyError: no\n"key"?? \N{SNOWMAN}2.5', KeyError),
    (3, OUT.format(-1, "0 items"), IndexError),
    (4, OUT.format(2, "2 items"), IndexError),
    (5, OUT.format(-3, "2 items"), IndexError),
    (6, "ValueError: a list of 2 items is unpacked into 3", ValueError),
    (7, "ValueError: a list of 2 items is unpacked into at least 3", ValueError),
    (8, "math.sqrt of -2.5 is no number", ValueError),
    (9, "math.exp of 2500.0 is too large for a float", OverflowError),
    (10, "math.log of 0.0 is no number", ValueError),
    (11, "0.0 to a negative power", ZeroDivisionError),
    (12, "a negative number to a fractional power is complex", None),
    (13, "the result of `**` is too large for a float", OverflowError),
    (14, "a negative power of an int is a float: `float(n) ** m`", None),
    (15, "the result of `**` on integers does not fit into 64 bits", None),
    (16, "negative shift count", ValueError),
    (17, "the result of `<<` on integers does not fit into 64 bits", None),
    (18, OUT.format(0, "0 items"), ValueError),
    (19, "ValueError: n is not in the list", ValueError),
    (20, "math.fmod of 2.5, 0.0 is no number", ValueError),
    (21, "AssertionError: 21 of 10.5 is True!", AssertionError),
    (22, "RuntimeError: the model's own", RuntimeError),
    (23, "int() of a number that no int64 holds", None),
    (24, OUT.format(0, "0 items"), ValueError),
    (25, "AssertionError: 21 of 10.5 is True!", AssertionError),
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load_text(MODEL, tmp_path_factory.mktemp("failing"), "failing_instances")


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("executor", ["aot", "vm"])
def test_failing_instances(executor: str, model: ModuleType) -> None:
    params = model.P(b=[0.0])
    fast = ab.compile(model.f, params, options=ab.Options(executor=executor))
    assert fast([(99, 2.5)]) == [101.5]
    for n, message, error in FAILURES:
        with pytest.raises(ab.InstanceError) as caught:
            fast([(99, 0.0), (n, 2.5), (98, 0.0)])
        assert str(caught.value) == f"instances[1]: {message}"
        if error is not None:
            with pytest.raises(error):
                model.f(params, n, 2.5)


NUMBERS = (0.1, 1e16, 123456789012345680.0, 1e-5, 0.0001, -2.5e-310, 1e22, 5e-324, 1.7e308, -0.0)
NUMBERS += (100.0, 1234.5, math.inf, math.nan, 2 / 3, 9999999999999998.0, 0.00012345)  # type: ignore[assignment]


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("executor", ["aot", "vm"])
def test_numbers_in_messages(executor: str, model: ModuleType) -> None:
    fast: Any = ab.compile(model.f, model.P(b=[0.0]), options=ab.Options(executor=executor))
    for x in NUMBERS:
        with pytest.raises(ab.InstanceError) as caught:
            fast([(2, x)])
        assert str(caught.value).endswith(f"\N{SNOWMAN}{x}")


def test_data_that_is_none(load_model: Callable[[str], ModuleType]) -> None:
    module = load_model(
        """
@ab.data
class Fork:
    word: int
    left: "Fork | None" = None

    def first(self) -> int:
        return self.word


@ab.params
class P:
    emb: Tensor["11", "H"]


@ab.model
def by_field(p: P, t: Fork) -> int:
    return t.left.word


@ab.model
def by_method(p: P, t: Fork) -> int:
    return t.left.first()


@ab.model
def by_argument(p: P, t: Fork) -> int:
    return by_method(p, t.left)
"""
    )
    p = module.P(emb=np.zeros((11, 4)))
    good = module.Fork(1, module.Fork(2, module.Fork(3)))
    for name, fault in (
        ("by_field", "AttributeError: t.left is None, and has no 'word'"),
        ("by_method", "AttributeError: t.left is None, and has no 'first'"),
        ("by_argument", "TypeError: by_method takes Fork as 't', this is None"),
    ):
        model = getattr(module, name)
        for executor in ("vm", "aot"):
            fast = ab.compile(model, p, options=ab.Options(executor=executor))
            assert fast([good]) == [model(p, good)]
            with pytest.raises(ab.InstanceError) as caught:
                fast([good, module.Fork(1)])
            assert str(caught.value) == f"instances[1]: {fault}"
