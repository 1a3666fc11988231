"""Random static blocks: tensors of small shapes, every operation, any number of outputs.

Values stay moderate, and what decides (comparisons, the position of a maximum) is applied only to
values that are computed without rounding, so that a plan can be compared with what its operations
mean.
"""

from __future__ import annotations

import math
import random

from acrobat.ir import typed as T
from acrobat.ir.ops import POINTWISE
from tests.kernels.run_block import Builder, shape_of

SIZES = (1, 2, 3, 5, 16, 18)
UNARY = [op for op in POINTWISE.values() if op.arity == 1]


class RandomBlock:
    """A block of about `length` operations."""

    def __init__(self, seed: int, length: int) -> None:
        self.choose = random.Random(seed)
        self.built = Builder()
        self.values: list[T.Var] = []
        self.exact: set[T.Var] = set()
        for _ in range(3):
            self.leaf(self.shape())
        for _ in range(length):
            self.step()
        results = [v for v in self.values if v in {o.out for o in self.built.ops}]
        used = {a for o in self.built.ops for a in o.op.args}
        # What nobody reads, and a few of the others.
        self.outputs = tuple(v for v in results if v not in used or self.choose.random() < 0.2)

    def shape(self, *ranks: int) -> tuple[int, ...]:
        return tuple(self.size() for _ in range(self.choose.choice(ranks or (0, 1, 1, 2, 2))))

    def size(self) -> int:
        return self.choose.choice(SIZES)

    def leaf(self, shape: tuple[int, ...]) -> T.Var:
        """A new input."""
        match self.choose.randrange(5):
            case 0 if shape:
                new = self.built.gathered_row(4, *shape)
            case 1 | 2:
                new = self.built.shared(*shape)
            case _:
                new = self.built.gathered(*shape)
        self.values.append(new)
        self.exact.add(new)
        return new

    def any(self, *ranks: int) -> T.Var:
        """A value of one of these ranks, known or new; recent ones rather than old ones."""
        fitting = [v for v in self.values if len(shape_of(v)) in ranks]
        if not fitting or self.choose.random() < 0.1:
            return self.leaf(self.shape(*ranks))
        return self.choose.choice(fitting[-4:] if self.choose.random() < 0.6 else fitting)

    def of(self, *shape: int) -> T.Var:
        """A value of this shape, known or new."""
        fitting = [v for v in self.values if shape_of(v) == shape]
        if not fitting or self.choose.random() < 0.1:
            return self.leaf(shape)
        return self.choose.choice(fitting)

    def add(self, name: str, *args: T.Var | float, **attrs: T.AttrValue) -> T.Var:
        new = self.built.op(name, *args, **attrs)
        self.values.append(new)
        return new

    def moved(self, name: str, *args: T.Var, **attrs: T.AttrValue) -> None:
        """An operation whose result is as exact as its operands."""
        if self.exact.issuperset(args):
            self.exact.add(self.add(name, *args, **attrs))
        else:
            self.add(name, *args, **attrs)

    def tamed(self, name: str, *args: T.Var | float, **attrs: T.AttrValue) -> None:
        """An operation whose result may be large."""
        new = self.add(name, *args, **attrs)
        if self.choose.random() < 0.5:
            self.add(self.choose.choice(("tanh", "sigmoid")), new)

    def step(self) -> None:
        steps = [self.unary, self.binary, self.binary, self.decide, self.product, self.product]
        steps += [self.weight, self.move, self.move, self.join, self.reduce, self.normalise]
        self.choose.choice(steps)()

    def unary(self) -> None:
        x, op = self.any(0, 1, 2), self.choose.choice(UNARY)
        if op.domain[0] == 0:
            x = self.add("add", self.add("abs", x), 0.5)
        elif op.cpu.within[1] < math.inf:
            x = self.add("tanh", x)
        if op.cpu.relative == op.cpu.absolute == 0:
            self.moved(op.name, x)
        else:
            self.add(op.name, x)

    def partner(self, x: T.Var) -> T.Var | float:
        """What can be combined with `x`."""
        shape = shape_of(x)
        match self.choose.randrange(6):
            case 0:
                return round(self.choose.uniform(-2, 2), 2)
            case 1:
                return self.of()
            case 2 if len(shape) == 2:
                return self.of(shape[1])
        return self.of(*shape)

    def binary(self) -> None:
        x = self.any(0, 1, 2)
        y = self.partner(x)
        match self.choose.choice(("add", "sub", "mul", "div", "maximum", "minimum")):
            case "div":
                if isinstance(y, T.Var):
                    self.tamed("div", x, self.add("add", self.add("abs", y), 0.5))
            case "mul":
                self.tamed("mul", *self.either(x, y))
            case name:
                self.add(name, *self.either(x, y))

    def either(self, x: T.Var, y: T.Var | float) -> tuple[T.Var | float, T.Var | float]:
        return (x, y) if self.choose.random() < 0.5 else (y, x)

    def decide(self) -> None:
        exact = [v for v in self.values if v in self.exact]
        x = self.choose.choice(exact)
        y = self.partner(x)
        test = x
        if not isinstance(y, T.Var) or y in self.exact:
            test = self.add(self.choose.choice(("less", "greater")), *self.either(x, y))
            self.exact.add(test)
        vectors = [v for v in exact if len(shape_of(v)) == 1]
        if vectors and self.choose.random() < 0.3:
            self.exact.add(self.add("argmax", self.choose.choice(vectors)))
        self.add("where", test, self.partner(test), self.of(*shape_of(test)))

    def weight(self) -> None:
        x, columns = self.any(1, 2), self.size()
        w = self.built.shared(shape_of(x)[-1], columns)
        if self.choose.random() < 0.5:
            self.tamed("matmul", x, w)
        else:
            self.tamed("linear", x, w, self.of(columns))

    def product(self) -> None:
        x = self.any(1, 2)
        k = shape_of(x)[-1]
        right = [v for v in self.values if len(shape_of(v)) > 0 and shape_of(v)[0] == k]
        y = self.choose.choice(right) if right else self.leaf((k, self.size()))
        self.tamed("matmul", x, y)
        if self.choose.random() < 0.2:
            s, h = self.choose.choice((2, 3, 5)), self.choose.choice((1, 2))
            q, keys, v = (self.of(s, 4) for _ in range(3))
            self.add("attention", q, keys, v, heads=h)

    def move(self) -> None:
        x = self.any(1, 2)
        shape = shape_of(x)
        match self.choose.choice(("slice", "slice", "transpose", "reshape", "outer")):
            case "slice":
                axis = self.choose.randrange(len(shape))
                start = self.choose.randrange(shape[axis])
                stop = self.choose.randint(start + 1, shape[axis])
                self.moved("slice", x, start=start, stop=stop, axis=axis)
            case "transpose" if len(shape) == 2:
                self.moved("transpose", x)
            case "reshape":
                self.moved("reshape", x, shape=self.reshaped(shape))
            case "outer" if len(shape) == 1 and shape[0] < 10:
                self.tamed("outer", x, self.any(1))

    def reshaped(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        size = shape[0] * (shape[1] if len(shape) > 1 else 1)
        rows = self.choose.choice([n for n in range(1, size + 1) if size % n == 0])
        new = [(rows, size // rows), (size,), (1, size), (size, 1)]
        return self.choose.choice([*new, ()] if size == 1 else new)

    def join(self) -> None:
        x = self.any(1, 2)
        shape = shape_of(x)
        count = self.choose.randint(1, 3)
        if len(shape) == 1 and self.choose.random() < 0.5:
            self.moved("stack", *(self.of(*shape) for _ in range(count)), x)
            return
        axis = self.choose.choice((-1, 0))
        parts = [x]
        for _ in range(count):
            other = list(shape)
            other[axis] = self.size()
            parts.insert(self.choose.randint(0, len(parts)), self.of(*other))
        self.moved("concat", *parts, axis=axis)

    def reduce(self) -> None:
        x = self.any(1, 2)
        name = self.choose.choice(("sum", "mean", "max"))
        self.tamed(name, x, axis=self.choose.choice(("all", 0, -1)))

    def normalise(self) -> None:
        x = self.any(1, 2)
        columns = shape_of(x)[-1]
        if self.choose.random() < 0.6:
            self.add("softmax", x)
        elif columns > 2:
            if x not in self.exact:
                # Columns that are nearly equal would make rounding errors visible.
                x = self.add("add", x, self.leaf(shape_of(x)))
            self.add("layer_norm", x, self.of(columns), self.of(columns))
