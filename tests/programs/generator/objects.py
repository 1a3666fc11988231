"""Random programs about objects whose fields change: classes with methods that change numbers,
lists, lists of lists and tensors, functions that are given such objects, copies, aliases.

Many give a list or an object a second name and change it afterwards, which the compiler has to
refuse; what it takes has to mean what it does in Python.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

HEAD = """
from dataclasses import dataclass, field
import copy
import numpy as np
import acrobat as ab
from acrobat import Float32, Tensor, ops

@ab.params
class P:
    emb: Float32[Tensor, "V D"]

@ab.data
class X:
    words: list[int]

def two(a, b):
    return 2 * a - b
"""
INIT = """
class S:
    def __init__(self, n, xs, h):
        self.n = n
        self.xs = {xs}
        self.ys = [n]
        self.h = {h}
        self.g = h * 2
        self.rows = [[n], [1, 2]]

    def clone(self):
        return S(self.n, list(self.xs), self.h)
"""
DATACLASS = """
@dataclass
class S:
    n: int
    xs: list[int]
    h: Tensor
    g: Tensor
    ys: list[int] = field(default_factory=list)
    rows: list[list[int]] = field(default_factory=list)

    def clone(self):
        rows = [list(r) for r in self.rows]
        return S(self.n, list(self.xs), self.h, self.g, self.ys[:], rows)
"""
RESULTS = "tuple[int, list[int], list[int], Float32[Tensor, 'D'], Float32[Tensor, 'D'], int]"
KINDS = ("int", "list", "ten")
Locals = tuple[tuple[str, str], ...]  # kind, name


@dataclass
class Place:
    """Where statements stand: the objects and locals there, what there is for the instance's words,
    and the depth of blocks. `maker`: in the function that makes the objects."""

    objects: list[str]
    locals: Locals
    words: str
    depth: int = 0
    maker: bool = False

    def inside(self, *more: tuple[str, str]) -> Place:
        """In a block of a statement here."""
        names = (*self.locals, *more)
        return Place(self.objects, names, self.words, self.depth + 1, self.maker)


@dataclass
class ObjectsWriter:
    """Writes one program."""

    random: random.Random
    methods: list[tuple[str, list[str], str]] = field(default_factory=list)  # with its result
    dataclass: bool = False
    names: int = 0

    def program(self) -> str:
        """The source: the entry is `f`."""
        pick = self.random.choice
        self.dataclass = self.random.random() < 1 / 3
        xs, h = pick(["xs", "list(xs)", "[*xs, n]", "xs if n > 2 else [n]"]), pick(["h", "h + 1"])
        head = DATACLASS if self.dataclass else INIT.format(xs=xs, h=h)
        lines = [HEAD + head]
        for i in range(self.random.randint(1, 4)):
            lines += self.method(f"m{i}")
        for name in ("fa", "fb"):
            place = Place(["s"], (("int", "k"),), "s.xs")
            lines += [f"def {name}(p, s, k):", *self.block(place, 4, 3)]
        more = ", p.emb[4]" if self.dataclass else ""
        lines += [
            "def mk(p, k, zs):",
            f"    o = S(k, {pick(['zs', 'list(zs)', '[k]'])}, p.emb[3]{more})",
        ]
        lines += [pick(["    o.xs.append(k)", "    o.n += 1"]), "    return o"]
        lines += ["@ab.model", f"def f(p: P, x: X) -> {RESULTS}:", "    z0 = [7]"]
        given = {"int": "1", "list": pick(["[5]", "z0", "[]", "x.words"]), "ten": "p.emb[0]"}
        lines.append("    o0 = " + self.made(given))
        objects = ["o0"]
        if self.random.random() < 0.5:
            lines.append(
                "    o1 = " + self.made({"int": "2", "list": "[2, 3]", "ten": "p.emb[5] * 1"})
            )
            objects.append("o1")
        place = Place(objects, (("list", "z0"),), "x.words", maker=True)
        lines += self.block(place, 4, 7)
        last = pick(["z0", "o0.ys", "[*o0.ys, *z0]", f"{place.objects[-1]}.ys"])
        lines.append(f"    return o0.n, o0.xs, {last}, o0.h, o0.g, len(z0)")
        return "\n".join(lines) + "\n"

    def method(self, name: str) -> list[str]:
        """A method of the class."""
        result = self.random.choice([*KINDS, ""])
        takes = [self.random.choice(KINDS) for _ in range(self.random.randint(0, 2))]
        given = tuple((kind, f"a{i}") for i, kind in enumerate(takes))
        place = Place(["self"], given, "self.xs")
        parameters = ", ".join(["self", *(n for _, n in given)])
        lines = [f"    def {name}({parameters}):", *self.block(place, 8, 3)]
        if result:
            lines.append(f"        return {self.expression(result, place, 1)}")
        self.methods.append((name, takes, result))
        return lines

    def made(self, given: dict[str, str]) -> str:
        """A call of the class."""
        more = (
            f", g={given['ten']} * 2, ys={given['list']}, rows=[[3], [1]]" if self.dataclass else ""
        )
        return f"S({given['int']}, {given['list']}, {given['ten']}{more})"

    def name(self, kind: str) -> str:
        """A new local name."""
        self.names += 1
        return f"{kind[0]}{self.names}_"

    def call(self, method: tuple[str, list[str], str], place: Place, depth: int) -> str:
        """A call of a method of some object."""
        name, takes, _ = method
        args = ", ".join(self.expression(kind, place, depth + 1) for kind in takes)
        return f"{self.random.choice(place.objects)}.{name}({args})"

    def expression(self, kind: str, place: Place, depth: int = 0) -> str:
        """An expression of a kind."""
        o = self.random.choice(place.objects)
        known = [n for k, n in place.locals if k == kind]
        if kind == "int":
            found = [str(self.random.randint(0, 5)), f"len({place.words})", f"{o}.n", f"{o}.n"]
            found += [f"len({o}.xs)", f"sum({o}.ys)"]
        elif kind == "list":
            found = ["[1, 2]", f"{o}.xs", f"{o}.ys[:]", f"list({o}.xs)", f"[*{o}.ys, 4]", f"{o}.ys"]
            found += [f"{o}.rows[0]", f"[{o}.n]"]
        else:
            found = [f"{o}.h", f"{o}.g * 2", f"ops.tanh({o}.h)", f"{o}.g"]
        found += known * 2
        if depth < 2:
            calls = [m for m in self.methods if m[2] == kind]
            found += [self.call(m, place, depth) for m in calls] * 2
            inner = [self.expression(kind, place, depth + 1) for _ in range(2)]
            if kind != "list":
                found.append(f"({inner[0]} + {inner[1]})")
            found += self.of_two(kind, *inner)
            if kind == "int":
                test = self.expression("int", place, depth + 1)
                found.append(f"({inner[0]} if {test} > 2 else {inner[1]})")
        return self.random.choice(found)

    def of_two(self, kind: str, a: str, b: str) -> list[str]:
        """Calls with two operands: the second may change what the first one reads."""
        if kind == "int":
            ways = [f"two({a}, {b})", f"two(b={a}, a={b})", f"max({a}, {b})", f"sum([{a}, {b}])"]
            return self.random.sample([*ways, f"int({a} in ({b}, 2))", f"[{a}, {b}][0]"], 2)
        if kind == "ten":
            return [self.random.choice((f"np.maximum({a}, {b})", f"two({a}, {b})"))]
        return []

    def block(self, place: Place, indent: int, most: int) -> list[str]:
        """Up to so many statements; names that they assign are known behind them alone."""
        lines: list[str] = []
        for _ in range(self.random.randint(1, most)):
            new = self.statement(place)
            lines += [" " * indent + line for line in new]
        return lines or [" " * indent + "pass"]

    def statement(self, place: Place) -> list[str]:
        """One statement, in lines."""
        pick, o = self.random.choice, self.random.choice(place.objects)
        ways = ["number", "more", "append", "tensor", "in_place", "call", "call", "local", "local"]
        ways += ["list", "row", "pop", "item"]
        ways += ["test", "loop", "chosen"] if place.depth < 2 else []
        ways += ["function", "again", "copy"] if place.maker and place.depth == 0 else []
        way = pick(ways)

        def value(kind: str) -> str:
            return self.expression(kind, place)

        match way:
            case "number":
                return [f"{o}.n = {value('int')}"]
            case "more":
                return [f"{o}.n += {value('int')}"]
            case "append":
                return [f"{o}.{pick(['xs', 'ys'])}.append({value('int')})"]
            case "tensor":
                return [pick([f"{o}.h = {value('ten')}", f"{o}.g = {value('ten')} * 0.5"])]
            case "in_place":
                return [f"{o}.{pick('hg')} += {value('ten')}"]
            case "list":
                return [f"{o}.{pick(['xs', 'ys'])} = {value('list')}"]
            case "row":
                return [f"{o}.rows[{pick([0, 1])}].append({value('int')})"]
            case "pop":
                return [f"if {o}.xs:", f"    {o}.n = {o}.xs.pop()"]
            case "item":
                return [f"if {o}.ys:", f"    {o}.ys[0] = {value('int')}"]
            case "function":
                return [f"{pick(['fa', 'fb'])}(p, {o}, {value('int')})"]
            case "again":
                return [f"{o} = " + self.made({k: self.expression(k, place, 1) for k in KINDS})]
            case "local":
                kind = pick(KINDS)
                line = f"{self.name(kind)} = {value(kind)}"
                place.locals = (*place.locals, (kind, line.split()[0]))
                return [line]
            case "test":
                lines = [
                    f"if {value('int')} > {pick(range(5))}:",
                    *self.block(place.inside(), 4, 2),
                ]
                return [*lines, "else:", *self.block(place.inside(), 4, 2)]
            case "loop":
                over = pick([place.words, "range(2)", f"{o}.xs[:2]", f"{o}.ys"])
                item = self.name("int")
                inner = self.block(place.inside(("int", item)), 4, 3)
                return [f"for {item} in {over}:", *inner]
            case "copy":
                new = self.name("object")
                args = f"p, {value('int')}, {value('list')}"
                line = f"{new} = {pick([f'copy.deepcopy({o})', f'mk({args})', f'{o}.clone()'])}"
                place.objects.append(new)
                return [line]
        changing = [m for m in self.methods if way == "call" or m[2] == "int"]
        if not changing:
            return ["pass"]
        call = self.call(pick(changing), place, 1)
        if way == "call":
            return [call]
        return [f"{self.name('int')} = {call} if {value('int')} > 1 else 0"]
