"""Models with objects in lists that methods and functions change: accounts, units, tasks."""

# Models as they are written in a hurry.
# ruff: noqa: B905, RUF005, RUF021
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, var-annotated, assignment"

from __future__ import annotations

import copy
import itertools
from dataclasses import dataclass, field
from typing import Any

import acrobat as ab
from acrobat import ops
from tests.programs.listed_object_models import P


class Unit:
    def __init__(self, gene):
        self.gene = gene
        self.fit = 0.0

    def evaluate(self, target):
        self.fit = -abs(self.gene - target)
        return self.fit

    def cross(self, gene, share):
        self.gene = share * self.gene + (1.0 - share) * gene


@ab.model
def population(p: P, xs: list[int]) -> Any:
    units = [Unit(float(i)) for i in range(5)]
    found = []
    for x in xs:
        best = units[0]
        for unit in units:
            if unit.evaluate(float(x)) > best.fit:
                best = unit
        found.append(best.fit)
        gene = best.gene
        for unit in units:
            unit.cross(gene, 0.75)
        units = sorted(units, key=lambda u: u.gene)
        units[0].gene += 0.5
    return found, [u.gene for u in units]


@dataclass
class Account:
    balance: int
    moves: int = 0

    def add(self, n):
        self.balance += n
        self.moves += 1
        return self.balance


@ab.model
def transfers(p: P, xs: list[int]) -> Any:
    accounts = [Account(x) for x in xs]
    for i, x in enumerate(xs):
        source, target = accounts[i], accounts[x % len(xs)]  # may be the same one
        target.add(x)
        source.add(-x)
        source.moves, target.balance = target.moves + 1, source.balance
    return [(a.balance, a.moves) for a in accounts]


@ab.model
def in_order(p: P, xs: list[int]) -> Any:
    accounts = [Account(x) for x in xs]
    first = accounts[0]
    a = first.balance + first.add(2) * first.balance - accounts[0].add(first.moves)
    first.balance += accounts[0].add(1)
    b = [first.balance, first.add(1), first.balance]
    if first.add(1) > 3 and accounts[-1].add(2) > 5 or first.add(9) > 100:
        a += 1000
    c = first.add(1) if a > 3 else accounts[-1].add(7)
    while first.add(3) < 20:
        a += first.moves
    return a, b, c, [(a.balance, a.moves) for a in accounts]


@ab.model
def bubbles(p: P, xs: list[int]) -> Any:
    items = [Account(x) for x in xs]
    swaps = 0
    for _ in xs:
        for left, right in itertools.pairwise(items):
            if left.balance > right.balance:
                left.balance, right.balance = right.balance, left.balance
                swaps += 1
            left.moves += 1
    return swaps, [(a.balance, a.moves) for a in items]


@dataclass
class Neuron:
    level: float = 0.0
    spikes: int = 0

    def feed(self, x):
        self.level = 0.5 * self.level + x
        if self.level < 2.0:
            return False
        self.level = 0.0
        self.spikes += 1
        return True


@ab.model
def spiking(p: P, xs: list[int]) -> Any:
    layer, out = [Neuron(), Neuron(), Neuron()], [Neuron(), Neuron()]
    fired = 0
    for x in xs:
        count = 0
        for n, w in zip(layer, [0.5, 1.0, 1.5]):
            if n.feed(w * x):
                count += 1
        for n in out:
            if n.feed(float(count)):
                fired += 1
                break
        else:
            fired -= 10
    return fired, [n.spikes for n in layer], [n.level for n in out]


@dataclass
class Task:
    name: str
    left: int
    log: list[int] = field(default_factory=list)

    def run(self, t):
        self.left -= 1
        self.log = self.log + [t]

    def is_over(self):
        return self.left <= 0


@ab.model
def round_robin(p: P, xs: list[int]) -> Any:
    tasks = [Task(f"t{i}", x) for i, x in enumerate(xs)]
    t = 0
    logs = []
    while tasks and t < 20:
        at = t % len(tasks)
        tasks[at].run(t)
        if tasks[at].is_over():
            logs.append((tasks[at].name, tasks[at].log))
            tasks.reverse()
            tasks = [task for task in tasks if not task.is_over()]
        t += 1
    return logs, [task.left for task in tasks]


class Cell:
    def __init__(self, h):
        self.h = h
        self.c = h

    def __call__(self, p, x):
        raise ValueError("not called")

    def update(self, p, below):
        self.c = 0.5 * self.c + ops.tanh(below @ p.w)
        self.h = ops.tanh(self.c)
        return self.h


@ab.model
def stacked_cells(p: P, xs: list[int]) -> Any:
    cells = [Cell(p.b), Cell(p.b * 0.5), Cell(p.b)]
    for x in xs:
        h = p.emb[x]
        for cell in cells:
            h = cell.update(p, h)
    return h, cells[-1].c, [c.h for c in cells]


def settle(account, rate):
    if account.balance > 3:
        account.balance -= rate
        return True
    account.moves = -1
    return False


@ab.model
def settled(p: P, xs: list[int]) -> Any:
    accounts = [Account(x) for x in xs]
    n = 0
    for i in range(len(accounts)):
        if settle(accounts[i], 2):
            n += 1
        settle(rate=1, account=accounts[-1])
    return n, [a.balance for a in accounts], sum(1 for a in accounts if a.moves < 0)


@ab.model
def settled_last(p: P, xs: list[int]) -> Any:
    accounts = [Account(9)]
    for x in xs:
        last = accounts[-1]
        accounts.append(Account(x))
        settle(last, x)
        last.add(accounts[-1].balance)
    accounts = [a for a in accounts if a.balance > 1]
    for a in accounts[1:]:
        a.add(-1)
    return [(a.balance, a.moves) for a in accounts]


@ab.model
def with_copies(p: P, xs: list[int]) -> Any:
    accounts = [Account(x) for x in xs]
    before = copy.deepcopy(accounts)
    first = copy.deepcopy(accounts[0])
    for a in accounts:
        a.add(a.balance)
    first.add(100)
    return [a.balance for a in before], first.balance, [a.balance for a in accounts]


def richest(xs):
    accounts = [Account(x) for x in xs]
    for a in accounts:
        a.add(a.balance % 3)
    return max(accounts, key=lambda a: a.balance), accounts[0]


@ab.model
def returned(p: P, xs: list[int]) -> Any:
    best, first = richest(xs)
    return best.balance + first.moves


@ab.model
def two_teams(p: P, xs: list[int]) -> Any:
    reds = [Account(x) for x in xs]
    blues = [Account(2 * x) for x in xs]
    for player in reds:
        player.add(1)
    for player in blues:
        player.add(2)
    for i, (red, blue) in enumerate(zip(reds, blues)):
        won = red.balance % 3 > blue.balance % 3
        if won:
            red.add(i)
        else:
            blue.add(i)
    return [a.balance for a in reds], [a.balance for a in blues]


@ab.model
def changed_in_a_local_function(p: P, xs: list[int]) -> Any:
    accounts = [Account(x) for x in xs]

    def hit(i, n):
        accounts[i].balance += n
        return accounts[0].balance

    a = accounts[0].balance + hit(0, 5) * accounts[0].balance
    return a, hit(-1, a), [x.balance for x in accounts]


@ab.model
def index_that_changes(p: P, xs: list[int]) -> Any:
    accounts = [Account(x) for x in xs] + [Account(3)]
    k = 0
    accounts[k].balance += (k := 1)
    a = accounts[-1]
    accounts.append(Account(k))
    a.add(5)
    a = accounts[0]
    accounts.sort(key=lambda account: account.balance)
    a = accounts[0]
    a.add(50)
    return [a.balance for a in accounts]


MODELS = (
    index_that_changes, population, transfers, in_order, bubbles, spiking, round_robin,
    stacked_cells, settled,
    settled_last, with_copies, returned, two_teams, changed_in_a_local_function,
)  # fmt: skip
