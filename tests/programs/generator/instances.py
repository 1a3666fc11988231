"""Instances as text: literals of data, in which objects may occur more than once."""

from __future__ import annotations

from dataclasses import dataclass, field

from .draw import Draw
from .expressions import ENDS, V
from .held import LABELS
from .members import MEMBERS


@dataclass(slots=True)
class Instances:
    """Writes instances; `shared` are the names of trees that are there already. With `special`,
    some numbers are NaN, infinite or zero."""

    d: Draw
    special: bool
    shared: list[str] = field(default_factory=list)
    seeds: int = 0

    def vector(self) -> str:
        self.seeds += 1
        if self.special and self.d.chance(0.3):
            value = self.d.one(("NAN", "INF", "-INF", "0.0", "-0.0", "1e-40", "3e38"))
            return f"normal({self.seeds}, H, {value})"
        return f"normal({self.seeds}, H)"

    def float(self) -> str:
        if self.special and self.d.chance(0.3):
            return self.d.one(("NAN", "INF", "-INF", "0.0", "-0.0", "1e300", "5e-324"))
        return f"{self.d.choose.uniform(-1, 1):.3f}"

    def big(self) -> str:
        if self.d.chance(0.5):
            return str(self.d.choose.randrange(-9, 10))
        return self.d.one((*ENDS, "-9223372036854775808", "9223372036854775806"))

    def tree(self, depth: int) -> str:
        d = self.d
        if self.shared and d.chance(0.25):
            return d.one(self.shared)
        kind = d.choose.randrange(3) if depth else 0
        if kind == 0:
            return f"Leaf({d.choose.randrange(V)}, {self.vector()})"
        if kind == 1:
            left, right = self.tree(depth - 1), self.tree(depth - 1)
            return f"Node({left}, {right}, {d.choose.randrange(4)}, {d.chance(0.5)})"
        children = [self.tree(depth - 1) for _ in range(d.choose.randrange(4))]
        return f"Many([{', '.join(children)}], {self.float()})"

    def chain(self) -> str:
        text = "None"
        for _ in range(self.d.choose.randrange(4)):
            n, flag = self.d.choose.randrange(-1, 5), self.d.chance(0.5)
            text = f"Chain({n}, {self.float()}, {flag}, {self.vector()}, {text})"
        return text

    def phrase(self, depth: int) -> str:
        d = self.d
        kind, tag = d.one(("Kind.NOUN", "Kind.VERB")), d.choose.randrange(V)
        if not depth or d.chance(0.4):
            return f"Word({kind}, {tag}{d.one(('', f', {self.float()}'))})"
        rest = ", ".join(self.phrase(depth - 1) for _ in range(d.choose.randrange(3)))
        return f"Phrase({kind}, {tag}, {self.phrase(depth - 1)}{f', [{rest}]' if rest else ''})"

    def note(self, depth: int) -> str:
        """A `held.Note`."""
        d = self.d
        n, flag = d.choose.randrange(-1, 4), d.chance(0.5)
        edges = [(d.choose.randrange(4), d.one(LABELS)) for _ in range(d.choose.randrange(4))]
        scores = ", ".join(f"{label!r}: {self.float()}" for label in LABELS if d.chance(0.4))
        count = d.one(("None", "0", "1", "3"))
        vector = d.one(("None", self.vector()))
        below = self.note(depth - 1) if depth and d.chance(0.5) else "None"
        acts = ", ".join(d.one(MEMBERS) for _ in range(d.choose.randrange(3)))
        members = d.one(("", f", {d.one(MEMBERS)}, [{acts}], {d.one(('None', *MEMBERS))}"))
        return (
            f"Note({d.one(LABELS)!r}, {count}, {vector}, ({n}, ({self.float()}, {flag})), {edges}, "
            f"{{{scores}}}, {below}, {d.one(('None', self.words()))}{members})"
        )

    def share(self) -> None:
        """Write one more object that the others may use."""
        name = f"SHARED_{len(self.shared)}"
        self.d.put("", f"{name} = {self.tree(2)}")
        self.shared.append(name)

    def words(self) -> str:
        d = self.d
        return str([d.choose.randrange(V) for _ in range(d.choose.randrange(5))])

    def item(self, raw: str) -> str:
        d = self.d
        trees = ", ".join(self.tree(1) for _ in range(d.choose.randrange(3)))
        rows = []
        for _ in range(d.choose.randrange(4)):
            rows.append(", ".join(self.tree(1) for _ in range(d.choose.randrange(3))))
        table = ", ".join(f"[{row}]" for row in rows)
        return (
            f"Item({self.tree(3)}, {self.phrase(2)}, {self.chain()}, [{trees}], [{table}], "
            f"{d.choose.randrange(-2, 5)}, {self.float()}, {d.chance(0.5)}, {self.vector()}, "
            f"{self.vector().replace('H', '3, H', 1)}, {self.note(1)}, {raw}{self.given()})"
        )

    def given(self) -> str:
        """What items have in some programs: a matrix with any number of rows, and a dict."""
        d = self.d
        if not d.given:
            return ""
        rows = self.vector().replace("H", f"{d.choose.randrange(1, 10)}, H", 1)
        if d.chance(0.3):
            rows += d.one((".astype('float64')", "[::-1]", ".T.copy().T", ".repeat(2, 0)[::2]"))
        number = d.choose.randrange(-2, 5)
        return f', {rows}, {{"n": {number}, "w": {self.float()}, "x": {self.vector()}}}'
