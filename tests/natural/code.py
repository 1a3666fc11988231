"""An encoder of programs: a cell for every kind of syntax node."""

from __future__ import annotations

from typing import Any

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

from .model import Natural, draw


@ab.data
class Name:
    token: int


@ab.data
class Number:
    value: float


@ab.data
class Binary:
    operator: int
    left: Name | Number | Binary | Call
    right: Name | Number | Binary | Call


@ab.data
class Call:
    function: int
    arguments: list[Name | Number | Binary | Call]


@ab.data
class Assign:
    target: int
    value: Name | Number | Binary | Call


@ab.data
class While:
    test: Name | Number | Binary | Call
    body: list[Assign | While]


Expr = Name | Number | Binary | Call
Stmt = Assign | While


@ab.params
class Weights:
    names: Float32[Tensor, "30 H"]
    number: Float32[Tensor, "H"]
    w_binary: Float32[Tensor, "3H H"]
    w_argument: Float32[Tensor, "2H H"]
    w_call: Float32[Tensor, "2H H"]
    w_assign: Float32[Tensor, "2H H"]
    w_test: Float32[Tensor, "2H H"]
    w_next: Float32[Tensor, "2H H"]
    b: Float32[Tensor, "H"]


@ab.model
def expression(p: Weights, e: Name | Number | Binary | Call) -> Float32[Tensor, "H"]:
    match e:
        case Name(token):
            return ops.tanh(p.names[token])
        case Number(value):
            return ops.tanh(p.number * value)
        case Binary(operator, left, right):
            a, b = expression(p, left), expression(p, right)
            return ops.tanh(ops.concat(p.names[operator], a, b) @ p.w_binary)
        case Call(function, arguments):
            h = p.b
            for argument in arguments:
                h = ops.tanh(ops.concat(h, expression(p, argument)) @ p.w_argument)
            return ops.tanh(ops.concat(p.names[function], h) @ p.w_call)


@ab.model
def statements(p: Weights, body: list[Assign | While]) -> Float32[Tensor, "H"]:
    h = p.b
    for stmt in body:
        match stmt:
            case Assign(target, value):
                x = ops.tanh(ops.concat(p.names[target], expression(p, value)) @ p.w_assign)
            case While(test, inner):
                x = ops.tanh(ops.concat(expression(p, test), statements(p, inner)) @ p.w_test)
        h = ops.tanh(ops.concat(h, x) @ p.w_next)
    return h


def weights(rng: np.random.Generator, h: int) -> Weights:
    return Weights(
        names=draw(rng, 30, h) * 5,
        number=draw(rng, h),
        w_binary=draw(rng, 3 * h, h),
        w_argument=draw(rng, 2 * h, h),
        w_call=draw(rng, 2 * h, h),
        w_assign=draw(rng, 2 * h, h),
        w_test=draw(rng, 2 * h, h),
        w_next=draw(rng, 2 * h, h),
        b=draw(rng, h),
    )


def instances(rng: np.random.Generator, n: int) -> list[Any]:
    def token() -> int:
        return int(rng.integers(0, 30))

    def expr(depth: int) -> Name | Number | Binary | Call:
        kind = int(rng.integers(0, 4 if depth else 2))
        if kind == 0:
            return Name(token())
        if kind == 1:
            return Number(float(rng.normal()))
        if kind == 2:
            return Binary(token(), expr(depth - 1), expr(depth - 1))
        return Call(token(), [expr(depth - 1) for _ in range(rng.integers(0, 4))])

    def body(depth: int) -> list[Assign | While]:
        return [
            While(expr(2), body(depth - 1))
            if depth and rng.random() < 0.3
            else Assign(token(), expr(3))
            for _ in range(rng.integers(1, 7))
        ]

    return [body(2) for _ in range(n)]


NATURAL = Natural("code encoder", statements, weights, instances)
