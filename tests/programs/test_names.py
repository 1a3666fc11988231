"""No name of an author's is wrong: functions, data types, fields, weights, parameters and variables
of every name compile, and are kept apart."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from tests.programs.hostile_names import NAMES, SHADOWED
from tests.selection import some

# Compiled kernels are those of the other executor.
pytestmark = pytest.mark.usefixtures("interpreted_kernels")

Load = Callable[[str], ModuleType]

# What the models need for themselves has names that are not tried.
_HEAD = """
import builtins
_Int, _Float, _List = builtins.int, builtins.float, builtins.list
_ab, _ops, _Tensor = ab, ops, Tensor

@_ab.params
class __P:
    w: _Tensor["H"]
"""


def agrees(m: ModuleType, instances: list[Any], params: Any = None, **options: Any) -> None:
    """`entry_` of the module gives what plain Python gives."""
    model, params = m.entry_, params or vars(m)["__P"](w=np.ones(4))
    for executor in ("aot", "vm"):
        fast = ab.compile(model, params, options=ab.Options(executor=executor, **options))
        for got, instance in zip(fast(instances), instances, strict=True):
            np.testing.assert_allclose(got, model(params, instance), rtol=1e-6)


def test_there_are_enough_names() -> None:
    assert len({*NAMES, *SHADOWED}) > 200


@pytest.mark.slow
@pytest.mark.parametrize("part", some(range(2), always=lambda part: part == 0))
def test_functions_of_all_names(load_model: Load, part: int) -> None:
    """Each calls itself, so that it stays a function, and computes a number of its own."""
    names = [*NAMES, *SHADOWED][part::2]
    text = [_HEAD]
    for i, name in enumerate(names):
        text.append(f"""
@_ab.model
def {name}(__p: __P, __n: _Int) -> _Int:
    return {i} if __n <= 0 else {name}(__p, __n - 1) + {i * i}
""")
    total = " + ".join(f"__n * {i} * {name}(__p, __n)" for i, name in enumerate(names))
    text.append(f"""
@_ab.model
def entry_(__p: __P, __n: _Int) -> _Int:
    return {total}
""")
    agrees(load_model("".join(text)), [0, 1, 3])


@pytest.mark.slow
def test_weights_parameters_variables_and_constants_of_all_names(load_model: Load) -> None:
    """The names are also those of the weights: what is read of which shows in the result."""
    shown = [n for n in NAMES if not n.startswith("__")]
    few = shown[::16]
    fields = "".join(f'    {n}: _Tensor["H"]\n' for n in few)
    sums = "".join(f"    {n} = {i} * p_.{n} + {n}\n" for i, n in enumerate(few))
    more = "".join(f"    {n} = n_ + {i}\n    t_ = t_ + {n} * {n}\n" for i, n in enumerate(shown))
    text = f"""{_HEAD}
{"".join(f"{n} = {i}{chr(10)}" for i, n in enumerate(NAMES[1::5]))}
@_ab.params
class W_:
{fields}
@_ab.model
def constants_(p_: W_, n_: _Int) -> _Int:
    return {" + ".join(f"{i} * {n}" for i, n in enumerate(NAMES[1::5]))}

@_ab.model
def sums_(p_: W_, {", ".join(f'{n}: _Tensor["H"]' for n in few)}) -> _Tensor["H"]:
{sums}    return {" + ".join(few)}

@_ab.model
def numbers_(p_: W_, n_: _Int) -> _Int:
    t_ = 0
{more}    return t_

@_ab.model
def entry_(p_: W_, n_: _Int) -> _Tensor["H"]:
    s_ = sums_(p_, {", ".join(f"p_.{n}" for n in few)})
    return s_ * constants_(p_, n_) + numbers_(p_, n_)
"""
    m = load_model(text)
    rng = np.random.default_rng(0)
    params = m.W_(**{n: rng.normal(size=3) for n in m.W_.__annotations__})
    agrees(m, [0, 7], params)


@pytest.mark.slow
def test_data_types_of_all_names_and_functions_like_them(load_model: Load) -> None:
    """A data type, its field, a function, its parameter and a variable have the same name."""
    names = [n for n in NAMES[::4] if not n.startswith("__")]
    text = [_HEAD]
    for i, n in enumerate(names):
        text.append(f"""
def make_{i}():
    @_ab.data
    class {n}:
        {n}: _Int
        other_: _Float
    return {n}
D{i} = make_{i}()

def model_{i}():
    @_ab.model
    def {n}(p_: __P, {n}_: D{i}) -> D{i}:
        match {n}_:
            case D{i}({n}__, other_):
                if {n}__ > 1:
                    return {n}(p_, D{i}({n}__ - 1, other_ + {i}))
                return {n}_
    return {n}
f{i}_ = model_{i}()
""")
    lines = "".join(
        f"    r_{i} = f{i}_(p_, D{i}(n_, 1.0))\n    t_ = t_ * 1.25 + r_{i}.other_\n"
        for i in range(len(names))
    )
    text.append(f"""
@_ab.model
def entry_(p_: __P, n_: _Int) -> _Float:
    t_ = 0.0
{lines}    return t_
""")
    agrees(load_model("".join(text)), [0, 1, 3])


COPIES = """
@ab.params
class P:
    w: Tensor["H"]
    v: Tensor["H"]

@ab.model
def step(p: P, x: Tensor["H"], n: int) -> Tensor["H"]:
    return x if n <= 0 else ops.tanh(step(p, x, n - 1) + x)

@ab.model
def step_2(p: P, n: int) -> Tensor["H"]:
    return p.v if n <= 0 else ops.sigmoid(step_2(p, n - 1))

def make(k: int):
    @ab.model
    def step_3(p: P, n: int) -> int:
        return k if n <= 0 else step_3(p, n - 1) * k

    return step_3

first, second = make(2), make(3)

@ab.model
def entry_(p: P, n: int) -> Tensor["H"]:
    given = step(p, p.v * n, n) + step(p, p.w, n) + step(p, p.v, n)
    return given + step_2(p, n) * (first(p, n) - second(p, n))
"""


def test_the_compilers_copies_are_not_taken_for_functions_of_the_author(load_model: Load) -> None:
    """`step` is copied for each of three contexts, beside a function that is called `step_2` and
    two that are both called `step_3`."""
    m = load_model(COPIES)
    agrees(m, [0, 1, 3], m.P(w=np.full(4, 0.5), v=np.linspace(-1, 1, 4)))


def test_names_that_are_no_identifiers(load_model: Load) -> None:
    """`__name__` can be any text: it is only read, never written to generated code as it is."""
    m = load_model(
        COPIES.replace("@ab.model\ndef step_2", '@named("step#2")\ndef step_2')
        .replace("@ab.model\n    def step_3", "@named(NAMES[k])\n    def step_3")
        .replace(
            "@ab.params",
            """
NAMES = ["", "", "a\\\\", "*/ b \\n", "\\ud800 %s"]

def named(name):
    def decorate(f):
        f.__name__ = name
        return ab.model(f)
    return decorate

@ab.data
class D:
    x: int

D.__name__ = "None"

@ab.params""",
            1,
        )
        .replace("return given", "d = D(n)\n    return given * d.x")
    )
    agrees(m, [0, 1, 3], m.P(w=np.full(4, 0.5), v=np.linspace(-1, 1, 4)))


def test_results_of_data_types_of_one_name(load_model: Load) -> None:
    """The classes are told apart, not their names."""
    m = load_model(
        """
def make():
    @ab.data
    class Node:
        x: Tensor["H"]
        n: int
    return Node

def other():
    @ab.data
    class Node:
        n: int
        y: Tensor["H"]
        more: "Left | None"
    return Node

Left, Right = make(), other()

@ab.params
class P:
    w: Tensor["H"]

@ab.model
def entry_(p: P, n: int) -> Left | Right:
    if n > 1:
        return Left(p.w * n, n)
    return Right(n, ops.tanh(p.w * n), Left(p.w, 3))
"""
    )
    params = m.P(w=np.linspace(-1, 1, 4))
    for executor in ("aot", "vm"):
        one, two = ab.compile(m.entry_, params, options=ab.Options(executor=executor))([1, 2])
        assert type(one) is m.Right and type(one.more) is m.Left and type(two) is m.Left
        assert one.n == 1 and one.more.n == 3 and two.n == 2
        np.testing.assert_allclose(one.y, np.tanh(params.w), rtol=1e-6)
        np.testing.assert_array_equal(two.x, params.w * 2)
