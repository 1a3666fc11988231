"""Forked calls and noted depths, in the IR: which statements wait for which."""

from __future__ import annotations

import re

import pytest

from acrobat.errors import CompilerBug
from acrobat.ir import batched as B
from acrobat.ir import typed as T
from acrobat.ir.batched_verify import verify_batched
from acrobat.ir.printer import print_batched, print_typed
from acrobat.ir.types import BOOL, FLOAT, INT
from acrobat.transform.fork_calls import fork_calls
from acrobat.transform.infer_parallelism import infer_parallelism

pytestmark = pytest.mark.usefixtures("interpreted_kernels")

X, A, C, D, E = (T.Var(n, FLOAT) for n in "xacde")
N, K = T.Var("n", INT), T.Var("k", INT)


def call(out: T.Var, *args: T.Atom, function: str = "g") -> B.Let:
    return B.Let((out,), T.Call(function, args))


def lines(text: str) -> list[str]:
    """The statements of the first function; variables carry numbers."""
    text = re.sub(r"\.\d+\b", "", text).split("def read")[0]
    return [line.strip() for line in text.splitlines() if line.startswith("    ")]


def marked(region: B.Region) -> list[str]:
    """The statements of a function that calls `read`, which waits, and `g`."""
    number = T.Var("read", FLOAT)
    reads = B.Region((B.Let((number,), T.Read(X)),), T.Return((number,)))
    functions = {
        "f": B.Function("f", (X, N), (FLOAT,), region),
        "read": B.Function("read", (X,), (FLOAT,), reads),
    }
    module = B.Module({}, functions, "f", (), BOOL, (), {})
    return lines(print_batched(infer_parallelism(module)))


def test_a_statement_starts_behind_what_it_needs() -> None:
    more = B.Let((D,), T.Scalar("+", (C, X)))
    body = B.Region((call(A, X), call(C, X), more, call(E, D)), T.Return((A, E)))
    assert marked(body) == [
        "mark 0",
        "a = g(x)",
        "mark 1",
        "resume after 0",
        "c = g(x)",
        "d = +(c, x)",
        "e = g(d)",
        "mark 2",
        "resume after 1, 2",
        "return a, e",
    ]


def test_a_chain_is_left_alone() -> None:
    body = B.Region((call(A, X), call(C, A), call(D, C, A)), T.Return((D,)))
    expected = ["a = g(x)", "c = g(a)", "d = g(c, a)", "return d"]
    assert marked(body) == expected


def test_what_waits_or_aligns_keeps_its_place() -> None:
    stmts = (call(A, X), call(C, X, function="read"), call(D, X), B.Align(), call(E, X))
    body = B.Region(stmts, T.Return((A, C, D, E)))
    assert marked(body) == [
        "a = g(x)",
        "c = read(x)",
        "d = g(x)",
        "align",
        "e = g(x)",
        "return a, c, d, e",
    ]


def forked(*stmts: T.Stmt) -> list[str]:
    """The statements of a function that calls `read`, which waits, and `g`."""
    number = T.Var("read", FLOAT)
    reads = T.Region((T.Let((number,), T.Read(X)),), T.Return((number,)))
    body = T.Region(stmts, T.Return(()))
    functions = {
        "f": T.Function("f", (X, N), (), body),
        "read": T.Function("read", (X,), (FLOAT,), reads),
    }
    text = print_typed(fork_calls(T.Module({}, {}, functions, "f", BOOL)))
    return lines(text)


def test_a_fork_holds_its_calls_and_what_they_need() -> None:
    assert forked(
        T.Let((A,), T.Call("read", (X,))),
        T.Let((D,), T.Scalar("+", (A, A))),
        T.Let((K,), T.Scalar("+", (N, N))),
        T.Let((C,), T.Call("read", (K,))),
        T.Let((E,), T.Call("read", (C,))),
    ) == [
        "k = +(n, n)",
        "a, c = parallel(read(x), read(k))",
        "d = +(a, a)",
        "e = read(c)",
        "return",
    ]


def test_one_call_that_waits_is_no_fork() -> None:
    assert forked(
        T.Let((A,), T.Call("read", (X,))),
        T.Let((K,), T.Scalar("+", (N, N))),
        T.Let((C,), T.Call("g", (X,))),
    ) == ["a = read(x)", "k = +(n, n)", "c = g(x)", "return"]


def test_a_depth_that_was_not_noted_cannot_be_resumed() -> None:
    body = B.Region((B.Mark(1), B.Resume((1, 2))), T.Return(()))
    module = B.Module({}, {"f": B.Function("f", (), (), body)}, "f", (), BOOL, (), {})
    with pytest.raises(CompilerBug, match="resumed that was not noted in this region"):
        verify_batched(module)
