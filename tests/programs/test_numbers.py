"""Numbers at the ends of int64 and double: compiled and interpreted programs compute what Python
does, or say that they cannot."""

from __future__ import annotations

import importlib.util
import math
import random
import sys
from types import ModuleType

import numpy as np
import pytest

import acrobat as ab

# Compiled kernels are those of the other executor.
pytestmark = pytest.mark.usefixtures("interpreted_kernels")

LEAST, MOST = -(2**63), 2**63 - 1
INF, NAN = float("inf"), float("nan")

MODEL = """
import acrobat as ab
from acrobat import Float32, Tensor

@ab.data
class Ints:
    op: int
    a: int
    b: int

@ab.data
class Floats:
    op: int
    a: float
    b: float

@ab.data
class Mixed:
    n: int
    x: float

@ab.data
class Range:
    start: int
    stop: int
    step: int

@ab.params
class P:
    b: Float32[Tensor, "2"]

@ab.model
def ints(p: P, x: Ints) -> tuple[Float32[Tensor, "2"], int]:
    a, b, op, result = x.a, x.b, x.op, 0
    if op == 0:
        result = a + b
    if op == 1:
        result = a - b
    if op == 2:
        result = a * b
    if op == 3:
        result = a // b
    if op == 4:
        result = a % b
    if op == 5:
        result = -a
    if op == 6:
        result = abs(a)
    if op == 7:
        if b > 0 and a + b > 0:
            result = 1
        if b < 0 or (b == 0 or a * 2 < b) or -a < b - 1:
            result += 2
        if 9 < b < a - 1:
            result += 4
    return p.b, result

@ab.model
def quotient(p: P, x: Ints) -> tuple[Float32[Tensor, "2"], float]:
    return p.b, x.a / x.b

@ab.model
def floats(p: P, x: Floats) -> tuple[Float32[Tensor, "2"], float, int]:
    a, b, op, result, whole = x.a, x.b, x.op, 0.0, 0
    if op == 0:
        result = a // b
    if op == 1:
        result = a % b
    if op == 2:
        whole = int(a)
    if op == 3:
        result = a / b
    if op == 4:
        result = -(a * b + -1.0)
    return p.b, result, whole

@ab.model
def mixed(p: P, x: Mixed) -> tuple[Float32[Tensor, "2"], int]:
    n, f, result = x.n, x.x, 0
    if n < f:
        result += 1
    if n <= f:
        result += 2
    if n > f:
        result += 4
    if n >= f:
        result += 8
    if n == f:
        result += 16
    if n != f:
        result += 32
    if f < n:
        result += 64
    if f <= n:
        result += 128
    if f == n:
        result += 256
    if 9007199254740993 < f or f >= 9223372036854775807:
        result += 512
    return p.b, result

@ab.model
def ranges(p: P, x: Range) -> tuple[Float32[Tensor, "2"], int, int, list[int], list[int]]:
    first, count = 0, 0
    for i in range(x.start, x.stop, x.step):
        first = i
        count += 1
        if count == 3:
            break
    up = [i for i in range(x.start, x.stop, 4611686018427387904)]
    down = [i for i in reversed(range(x.start, x.stop, 4611686018427387904))]
    return p.b, first, count, up, down
"""


@pytest.fixture(scope="module")
def m(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    path = tmp_path_factory.mktemp("numbers") / "numbers_model.py"
    path.write_text(MODEL)
    spec = importlib.util.spec_from_file_location("numbers_model", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def both(m: ModuleType, name: str) -> list[object]:
    params = m.P(b=np.ones(2, np.float32))
    return [
        ab.compile(getattr(m, name), params, options=ab.Options(executor=e)) for e in ("aot", "vm")
    ]


def outcome(fast: object, instance: object) -> object:
    """What one instance gives, without the tensor, or the text of its error."""
    try:
        return fast([instance])[0][1:]  # type: ignore[operator]
    except ab.InstanceError as error:
        return str(error)


def assert_same(got: object, want: tuple[object, ...]) -> None:
    """The same values, the signs of zeros included."""
    assert isinstance(got, tuple), got
    assert repr(got) == repr(want)


PAIRS = [
    (LEAST, -1),
    (LEAST, 1),
    (MOST, 1),
    (MOST, -1),
    (LEAST, LEAST),
    (MOST, MOST),
    (LEAST, MOST),
    (2**32, 2**31),
    (2**32, -(2**31)),
    (3037000500, 3037000500),
    (-7, 2),
    (7, -2),
    (-8, -1),
    (0, LEAST),
    (5, 0),
]
OPERATIONS = ["+", "-", "*", "//", "%", "-", "abs"]


def test_ints_that_do_not_fit_into_64_bits_are_an_error(m: ModuleType) -> None:
    for fast in both(m, "ints"):
        for op, shown in enumerate(OPERATIONS):
            for a, b in PAIRS:
                got = outcome(fast, m.Ints(op, a, b))
                if b == 0 and shown in ("//", "%"):
                    assert got == "instances[0]: integer division by zero"
                    continue
                _, want = m.ints(m.P(b=np.ones(2, np.float32)), m.Ints(op, a, b))
                if LEAST <= want <= MOST:
                    assert_same(got, (want,))
                else:
                    assert got == (
                        f"instances[0]: the result of `{shown}` on integers does not fit into "
                        "64 bits"
                    )


def test_quotients_of_ints_are_rounded_once(m: ModuleType) -> None:
    choose = random.Random(2)
    widths = [(choose.randrange(64), choose.randrange(64)) for _ in range(3000)]
    pairs = [
        (choose.choice((-1, 1)) * choose.getrandbits(a), choose.choice((-1, 1)) * (b | 1))
        for a, b in ((a, choose.getrandbits(b)) for a, b in widths)
    ]
    ends = [0, 1, -3, 2**53, 2**53 + 1, 2**54 + 2, MOST, MOST - 1, LEAST, LEAST + 1]
    pairs += [(a, b) for a in ends for b in ends if b != 0]
    instances = [m.Ints(0, a, b) for a, b in pairs]
    for fast in both(m, "quotient"):
        for (a, b), (_, got) in zip(pairs, fast(instances), strict=True):  # type: ignore[operator]
            assert repr(got) == repr(a / b), (a, b)
        assert outcome(fast, m.Ints(0, MOST, 0)) == "instances[0]: division by zero"


def test_what_python_does_not_evaluate_cannot_overflow(m: ModuleType) -> None:
    params = m.P(b=np.ones(2, np.float32))
    for fast in both(m, "ints"):
        for a, b in [(LEAST, -1), (MOST, 0), (5, 6), (50, 20)]:
            assert_same(outcome(fast, m.Ints(7, a, b)), m.ints(params, m.Ints(7, a, b))[1:])
        for a, b, shown in [(MOST, 1, "+"), (LEAST, 10, "*")]:
            assert outcome(fast, m.Ints(7, a, b)) == (
                f"instances[0]: the result of `{shown}` on integers does not fit into 64 bits"
            )


SOME = [0.0, -0.0, 1.0, -1.0, 0.1, -0.1, 0.3, 7.5, 1e300, -1e300, 5e-324, INF, -INF, NAN]


def test_floats_are_divided_as_python_does(m: ModuleType) -> None:
    params = m.P(b=np.ones(2, np.float32))
    for fast in both(m, "floats"):
        for op in (0, 1, 3):
            kind = "division" if op == 3 else "float division"
            for a in SOME:
                instances = [m.Floats(op, a, b) for b in SOME if b != 0]
                got = [r[1:] for r in fast(instances)]  # type: ignore[operator]
                for g, x in zip(got, instances, strict=True):
                    assert_same(g, m.floats(params, x)[1:])
                assert outcome(fast, m.Floats(op, a, -0.0)) == f"instances[0]: {kind} by zero"
        assert outcome(fast, m.Floats(0, 1.0, 0.1)) == (9.0, 0)


def test_products_are_rounded_before_they_are_added(m: ModuleType) -> None:
    params = m.P(b=np.ones(2, np.float32))
    for fast in both(m, "floats"):
        for a, b in [(1 + 2.0**-30, 1 - 2.0**-30), (0.1, 10.0), (-0.4, -2.5), (1e-200, 1e200)]:
            assert_same(outcome(fast, m.Floats(4, a, b)), m.floats(params, m.Floats(4, a, b))[1:])


def test_int_of_a_float(m: ModuleType) -> None:
    largest = math.nextafter(2.0**63, 0)
    for fast in both(m, "floats"):
        for x in (largest, -(2.0**63), 9.3e18 - 2e17, -0.9, 1e15 + 0.5):
            assert_same(outcome(fast, m.Floats(2, x, 0.0)), (0.0, int(x)))
        for x in (2.0**63, math.nextafter(-(2.0**63), -INF), INF, -INF, NAN):
            assert outcome(fast, m.Floats(2, x, 0.0)) == (
                "instances[0]: int() of a number that no int64 holds"
            )


def test_ints_and_floats_are_compared_exactly(m: ModuleType) -> None:
    params = m.P(b=np.ones(2, np.float32))
    big = [2**53, 2**53 + 1, 2**53 + 2, -(2**53) - 1, MOST, LEAST, LEAST + 1, 0, -3]
    xs = [2.0**53, 2.0**53 + 2, -(2.0**53), 2.0**63, -(2.0**63), -2e19, -3.5, -2.5, *SOME]
    instances = [m.Mixed(n, x) for n in big for x in xs]
    want = [m.mixed(params, i)[1] for i in instances]
    for fast in both(m, "mixed"):
        assert [r[1] for r in fast(instances)] == want  # type: ignore[operator]


def test_ranges_between_the_ends_of_int64(m: ModuleType) -> None:
    params = m.P(b=np.ones(2, np.float32))
    bounds = [
        (LEAST, MOST, 1),
        (LEAST, MOST, MOST),
        (MOST, LEAST, -1),
        (MOST, LEAST, LEAST),
        (MOST, MOST - 2, -1),
        (MOST - 2, MOST, 1),
        (LEAST, LEAST, 1),
        (2, LEAST, 5),
        (-7, 9, 5),
        (9, -8, -5),
    ]
    for fast in both(m, "ranges"):
        for bound in bounds:
            assert_same(outcome(fast, m.Range(*bound)), m.ranges(params, m.Range(*bound))[1:])
        assert outcome(fast, m.Range(0, 1, 0)) == "instances[0]: range() with step 0"
