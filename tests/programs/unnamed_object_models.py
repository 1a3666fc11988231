"""Models with objects that have no name and whose methods change them, `Parser(text).parse()`, and
with methods that return lists in fields."""

# Models as they are written in a hurry.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, var-annotated"

from __future__ import annotations

from typing import Any

import acrobat as ab
from tests.programs.listed_object_models import P


class Parser:
    def __init__(self, tokens):
        self.tokens = tokens
        self.pos = 0

    def peek(self):
        return self.tokens[self.pos] if self.pos < len(self.tokens) else ""

    def advance(self):
        self.pos += 1
        return self.tokens[self.pos - 1]

    def expr(self):
        value = self.term()
        while self.peek() in ("+", "-"):
            op = self.advance()
            right = self.term()
            value = value + right if op == "+" else value - right
        return value

    def term(self):
        token = self.advance()
        if token == "(":
            value = self.expr()
            self.advance()
            return value
        return int(token)


class Machine:
    def __init__(self, xs):
        self.stack = list(xs)
        self.other = []
        self.n = 0

    def run(self, k=1):
        while self.stack:
            self.n += self.stack.pop() * k
        return self.n

    def push(self):
        self.stack.append(self.n)
        self.n += 1
        return self.stack

    def both(self):
        self.stack.append(self.n)
        return self.stack, self.other

    def one(self, which):
        self.stack.append(9)
        if which:
            return self.stack
        return self.other

    def swap(self):
        self.stack.append(2)
        self.other = self.stack
        return self.stack

    @property
    def size(self):
        return len(self.stack)


def tokens(xs):
    found = ["("]
    for x in xs:
        found += [str(x), "+"]
    return [*found, "1", ")", "-", "2"]


def summed(xs):
    return Machine(xs).run()


def pushed(machine):
    return machine.push()


@ab.model
def parses(p: P, xs: list[int]) -> int:
    return Parser(tokens(xs)).expr()


@ab.model
def in_statements(p: P, xs: list[int]) -> Any:
    n = Machine(xs).run()
    if Machine(xs).run(2) > 9:
        n += Machine([*xs, n]).run() * 2
    elif Machine(xs).run() > 4:
        n -= 1
    for x in Machine(xs).push():
        Machine([x]).run()
        n += Machine([x, n]).run()
    k = max(Machine(xs).run(), 3)
    return n, k, summed(xs), Machine(xs).size


@ab.model
def before_what_changes(p: P, xs: list[int]) -> Any:
    ys = list(xs)
    n = Machine([*ys]).run() + (ys.pop() if ys else 0)
    m = Machine([*ys, 1]).run(ys.pop() if ys else 0)
    return n, m, ys


@ab.model
def in_cases(p: P, xs: list[int]) -> int:
    match xs:
        case [_]:
            return Machine([1]).run()
        case [a, *rest]:
            return Machine(rest).run() + a
        case _:
            return 0


@ab.model
def returned_lists(p: P, xs: list[int]) -> Any:
    machine = Machine(xs)
    total = [*machine.push()]
    for _ in xs:
        total += machine.push()
    k = len(machine.push()) + len(machine.push())
    return total, k, machine.stack


@ab.model
def returned_last(p: P, xs: list[int]) -> Any:
    machine = Machine(xs)
    stack, other = machine.both()
    pushed_once = Machine(xs).push()
    return stack + other + machine.stack, pushed_once


MODELS = (
    parses,
    in_statements,
    before_what_changes,
    in_cases,
    returned_lists,
    returned_last,
)


def result_changes(p: P, xs: list[int]) -> Any:
    machine = Machine(xs)
    stack = machine.push()
    stack.append(5)
    return machine.stack


def field_changes(p: P, xs: list[int]) -> Any:
    machine = Machine(xs)
    stack = machine.one(len(xs) > 2)
    machine.stack.append(5)
    return stack


def second_call_changes(p: P, xs: list[int]) -> Any:
    machine = Machine(xs)
    stack = machine.push()
    machine.push()
    return stack


def through_a_function(p: P, xs: list[int]) -> Any:
    machine = Machine(xs)
    stack = pushed(machine)
    machine.stack.append(3)
    return stack


def two_fields(p: P, xs: list[int]) -> Any:
    machine = Machine(xs)
    machine.swap()
    machine.other.append(1)
    return machine.stack


def loop_over_it(p: P, xs: list[int]) -> Any:
    machine = Machine(xs)
    for x in machine.push():
        if len(machine.stack) < 9:
            machine.stack.append(x)
    return machine.stack


def list_of_the_caller(p: P, xs: list[int]) -> Any:
    ys = [1]
    n = Kept(ys).push()
    return n, ys


class Kept:
    def __init__(self, xs):
        self.xs = xs

    def push(self):
        self.xs.append(1)
        return len(self.xs)


REFUSED = (
    result_changes,
    field_changes,
    second_call_changes,
    through_a_function,
    two_fields,
    loop_over_it,
    list_of_the_caller,
)
