import collections
import dataclasses
import enum
import functools
import heapq
import itertools
import math
import operator
from collections.abc import Callable
from typing import NamedTuple, Optional

import numpy as np

import acrobat as ab
from acrobat import Tensor, ops
from tests.programs.generator import neighbours

NAN, INF = float("nan"), float("inf")
KERNELS = "specified"
H, V, K, C = 28, 11, 3, 4


def normal(seed, *shape):
    """An array of `shape`; a float at its end is put in at one place."""
    special = [s for s in shape if isinstance(s, float)]
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 0.5, shape[: len(shape) - len(special)]).astype(np.float32)
    if special:
        x.reshape(-1)[seed % x.size] = special[0]
    return x


@ab.data
class Leaf:
    word: int
    x: Tensor["H"]


@ab.data
class Node:
    left: "Tree"
    right: "Tree"
    k: int
    flag: bool


@ab.data
class Many:
    children: "list[Tree]"
    scale: float


Tree = Leaf | Node | Many


@ab.data
class Chain:
    n: int
    weight: float
    flag: bool
    x: Tensor["H"]
    next: Optional["Chain"]


@ab.params
class Layer:
    w: Tensor["H", "H"]
    b: Optional[Tensor["H"]]

    def step(self, x):
        h = x @ self.w
        return ops.tanh(h if self.b is None else h + self.b)


@ab.params
class P:
    emb: Tensor["V", "H"]
    w0: Tensor["H", "H"]
    w1: Tensor["2H", "H"]
    g: Tensor["H"]
    b: Tensor["H"]
    m: Tensor["K", "H"]
    w3: Tensor["K", "H", "H"]
    out: Tensor["H", "C"]
    layers: list[Layer]
    named: dict[str, Layer]
    scales: dict[str, Tensor["H"]]
    gate: Optional[Layer]
    gains: tuple[Tensor["H"], ...]

    def embed(self, x, n: int):
        return ops.tanh(x @ self.w0) + self.emb[n % V]


class Kind(enum.IntEnum):
    NOUN = 1
    VERB = 4


@ab.data
class Word:
    kind: Kind
    tag: int
    scale: float = 2

    def size(self) -> int:
        return 1

    @property
    def height(self) -> int:
        return 0

    def encode(self, p: P, h: Tensor["H"], by: float = 0.5) -> Tensor["H"]:
        return ops.tanh(h * by + p.emb[self.tag % V] * self.scale + p.emb[self.kind])


@ab.data
class Phrase:
    kind: Kind
    tag: int
    first: "Word | Phrase"
    rest: "list[Word | Phrase]" = dataclasses.field(default_factory=list)

    def size(self) -> int:
        return self.first.size() + sum(r.size() for r in self.rest)

    @property
    def height(self) -> int:
        return 1 + max([r.height for r in self.rest], default=self.first.height)

    def encode(self, p: P, h: Tensor["H"], by: float = 0.5) -> Tensor["H"]:
        h = self.first.encode(p, h)
        for r in self.rest:
            h = r.encode(p, h, by=by)
        return h + p.emb[self.kind]


class State(NamedTuple):
    h: Tensor["H"]
    n: int
    k: float = 0.5


class Act(enum.Enum):
    PUSH = 2
    POP = 5
    KEEP = -1
    ADD = 2

    @property
    def share(self) -> float:
        return 0.25 * self.value

    def undone(self) -> "Act":
        return Act.POP if self is Act.PUSH else Act.KEEP


SCALE = {Act.PUSH: 0.5, Act.POP: -1.0, Act.KEEP: 1.5}
MOVES = frozenset({Act.PUSH, Act.POP})


LONG = {f"{i % 7}{'ab'[i % 2]}{i}": i % 11 for i in range(280)} | {"NP": 3, "a": 5, "": 1}
COSTS = {f"w{i}": i / 8 for i in range(300)} | {"det": -0.5, "a b": 1.25}
RARE = frozenset(LONG) | {"det"}
STEPS = [(7 * i) % 13 for i in range(290)]


class Relation(str, enum.Enum):
    SUBJECT = "nsubj"


WEIGHT = {"det": 0.5, "NP": -1.5}


@ab.data
class Note:
    label: str
    count: Optional[int]
    vector: Optional[Tensor["H"]]
    pair: tuple[int, tuple[float, bool]]
    edges: list[tuple[int, str]]
    scores: dict[str, float]
    below: Optional["Note"] = None
    words: list[int] | None = None
    act: Act = Act.KEEP
    acts: list[Act] = dataclasses.field(default_factory=list)
    undo: Act | None = None


@dataclasses.dataclass
class Slot:
    key: Tensor["H"]
    age: int = 0
    weight: float = 0.5


TABLE = {0: lambda a: a * 2, 1: lambda a: a - 1, 2: operator.neg}


@ab.data
class Item:
    tree: Tree
    phrase: "Word | Phrase"
    chain: Optional["Chain"]
    trees: "list[Tree]"
    table: "list[list[Tree]]"
    n: int
    weight: float
    flag: bool
    x: Tensor["H"]
    m: Tensor["K", "H"]
    note: Note


def twice(g, x):
    return ops.tanh(g(ops.tanh(g(x))))


def scaled(p, x, n=2, *, by=1, act=ops.tanh):
    if n <= 0:
        return act(x * by)
    return act(x @ p.w0 * by + n)


@ab.model
def both(p: P, x: Tensor["H"], n: int = 1) -> tuple[Tensor["H"], Tensor["H"]]:
    return ops.tanh(x) * n, p.b


@ab.model
def dense(x: Tensor["I"], w: Tensor["I", "O"], b: Optional[Tensor["O"]]) -> Tensor["O"]:
    y: Tensor["O"] = x @ w
    if b is not None:
        y = y + b
    return ops.tanh(y) / x.shape[0]


@ab.model
def folded(p: P, g: Callable[..., Tensor["H"]], t: Tree, n: int) -> Tensor["H"]:
    match t:
        case Leaf(word, x):
            return g(x, word)
        case Node(left, right, k, _):
            return g(folded(p, g, left, n) + folded(p, g, right, k), n)
        case Many(children, scale):
            return g(sum([folded(p, g, c, n) for c in children], p.b) * scale, len(children))


@ab.model
def find(p: P, t: Tree, n: int) -> Optional[Tensor["H"]]:
    match t:
        case Leaf(word, x) if word > n:
            return x
        case Leaf():
            return None
        case Node(left, right):
            found = find(p, left, n)
            if found is None:
                return find(p, right, n + 1)
            return ops.tanh(found @ p.w0)
        case Many(children):
            for c in children:
                found = find(p, c, n)
                if found is not None:
                    return found
            return None


@ab.model
def str_of(n: int) -> str:
    return "det" if n % 2 == 0 else "NP"


@ab.model
def walk(p: P, z0: Tensor["H"], args: int) -> Tensor["H"]:
    widths_0 = ops.sigmoid
    z0 = ops.tanh(widths_0(widths_0(z0)))
    for count_1 in range(2 % 3, -1, -1):
        z0 = ops.tanh((z0 * count_1))
        z0 = ops.tanh((ops.sigmoid(z0) - (~(p.g < 0.2)) * 0.5))
        if bool([count_1 for co_return in range(count_1 % 4)]):
            continue
        args = int(0.5)
    z8 = (z0)[None][0]
    z0 = ops.tanh(twice(ops.relu, z0))
    return ops.tanh(((p.w3[((0 | 3) % 7) % 3] @ p.g) * 0))


@ab.model
def read(p: P, node: Tensor["N", "H"], List: Tensor["H"]) -> Tensor["H"]:
    z13 = 0
    while z13 < 1 and ops.argmax(List) % 2 == 0:
        z13 += 1
        List = ops.tanh(p.embed((List * (node)[0, 7]), z13))
        List = ops.tanh(walk(p, [List, *[List] * 2][-1], z13))
        z17 = walk(p, List, z13) @ p.w0
        List = ops.tanh(walk(p, p.g, (-z13)))
    List = ops.tanh(ops.layer_norm(List, p.g, p.b))
    return (ops.linear(node, p.w0, List))[0]


@ab.model
def main(p: P, true: Tree, z20: list, UINT64_C):
    if isinstance(true, Leaf):
        UINT64_C["leaf"] = UINT64_C.get("leaf", 0) + 1
        return true.x
    if isinstance(true, Many):
        z22 = p.b * true.scale
        for z23 in true.children:
            z22 = ops.tanh(z22 + main(p, z23, z20, UINT64_C))
    else:
        z22 = ops.tanh(main(p, true.left, z20, UINT64_C) + main(p, true.right, z20, UINT64_C))
    z20.append(ops.tanh(ops.where((z22 > p.g), z22, p.b)))
    return z22


@ab.model
def z27(p: P, TRUE: Tree, z29: int, z30: Tensor["H"]) -> tuple[Tensor["H"], Tensor["H"], int]:
    z31 = ops.tanh(z30)
    match TRUE:
        case Leaf(z35, override):
            f_results = ops.tanh((ops.relu(z30) - ops.sum(ops.relu(z30))))
            z33 = ops.tanh(p.w0[:, z29 % 28])
            z34 = LONG.get("aBa,b", 3)
        case Node(z37, z38, z39, virtual):
            z47 = ab.parallel(z27(p, z37, z29 + 1, z30), z27(p, z38, z39, ops.zeros(p.b.shape[0])))
            _1, z42, z45 = z47[0]
            template, requires, z46 = z47[1]
            f_results = ops.tanh(((p.m)[2] @ p.w0))
            z33 = ops.tanh(ops.concat((z31 @ p.w0), (z30 @ p.w0))[15 : 15 + p.b.shape[0]])
            z34 = 3
        case Many(z48, sizeof):
            z50 = [
                z27(p, co_await, z45, z31)
                for z45, co_await in enumerate(z48)
                if bool((p.b)[0] > 0.47342)
            ]
            f_results = p.b * sizeof
            z33 = z31
            z34 = len(z50)
            for _1, template, z46 in z50:
                z52 = [[] for z53 in range(3)]
                for z53 in range(2):
                    z52[z34 % 3] += [(z34) % 7]
                z34 = sum(len(z54) + sum(z54) for z54 in z52) % 7
                start_1 = State(_1, z29)
                for items_1_0 in range(2):
                    start_1 = State(ops.tanh(p.w0[:, start_1.n % 28]), items_1_0, start_1.k)
                z33 = ops.tanh(((p.g) + np.dot(p.g, template)))
    EOF = Word(Kind.NOUN, ("a").count("a"))
    EOF = dataclasses.replace(EOF, tag=z29)
    z58 = Phrase(Kind.VERB, z29, EOF, rest=[EOF])
    z33 = z58.encode(p, (z33 @ p.w0))
    return f_results, z33, z34


@ab.model
def char8_t(
    p: P, z60: Item, complex: list[int], z62: int
) -> tuple[Tensor["H"], list[Tensor["H"]], int, Tree]:
    é_, z64, z65 = z27(p, z60.tree, len(complex), p.b)
    z66: list[Tensor["H"]] = []
    public: list[int] = []
    alignas = z60.tree
    switch: Optional["Chain"] = z60.chain
    if z60.flag:
        z70 = find(p, alignas, ((z65 * 1 - z60.n) % 7))
        z64 = ops.tanh(z70 + (z64 - é_)) if z70 is not None else z60.x
        match alignas:
            case Node(Node(left=Leaf() as z72, k=1), _) if (Act.KEEP) is Act.KEEP:
                z74 = ops.tanh(((z64 @ p.out) @ p.out.T))
                z74 -= z64
                z74 *= z60.x
                z64 = ops.tanh(z74)
            case _:
                z77, mutable = [], []
                for noexcept in range(6):
                    heapq.heappush(z77, ((min(z65, noexcept)) % 4, noexcept))
                while z77 and len(mutable) < 4:
                    mutable.append(heapq.heappop(z77)[0])
                z65 = (sum(mutable) + sum(i * a for i, (a, _) in enumerate(z77))) % 7
    elif ("b 7").startswith(("a", "N")):
        for z80 in p.w3:
            z64 = ops.tanh(z64 @ z80)
            if ops.argmax(z64) % 2 == 0:
                continue
            z64 = ops.tanh(z64 + (z60.x * z60.weight))
    elif (z60.flag) ^ (z60.flag):
        if isinstance(alignas, Node):
            match = True
            z85 = 0
            while match and z85 < 3:
                z64 = ops.tanh(walk(p, é_, z60.n))
                z85 += 1
                match = not (z64[0] < 0.0)
        else:
            public.append(
                (
                    (
                        (sum(i * x for i, x in zip(itertools.count(0), public)) % 7) * 2
                        - int(ops.max(ops.tanh(z60.x)) * 3.3)
                    )
                    % 3
                )
                % 7
            )
    elif z60.n > 3:
        match z65 % 5 - 2:
            case 0:
                z89 = collections.deque([(ops.argmax(é_)) % 5])
                z89.appendleft(3)
                z90 = 0
                while z89 and z90 < 4:
                    z91 = z89.popleft()
                    z90 += 1
                    if z91 > 0:
                        z89.append(z91 - 1)
                        z89.extend([z91 - 1, (ops.argmax(é_)) % 5][: z90 % 3])
                z65 = (z90 + sum(z89) + len(z89)) % 7
            case (
                nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnm
            ) if z60.flag:
                match z66:
                    case [z92, _, *z94] if bool((p.g)[-1] > 0.42198):
                        assert z60.n > -50 or z60.flag, f"{z60.n} is too small"
                    case [*_, z92] if (Act.POP) == (Act.PUSH):
                        friend = 0.0
                        for z95 in z66:
                            friend -= ops.tanh(
                                ops.mean((z95 * ops.one_hot(z65 % 28, p.b.shape[0])))
                            )
                        é_ = ops.tanh(é_ - friend)
                    case [_, z92, _] | [z92, _] if ops.item(ops.max(z92)) < 0.16530:
                        z97, z98 = p.m.shape
                        é_ = ops.tanh(z64 / (z98 + len(p.layers)) * p.w3.ndim)
                    case []:
                        z99, *close = [((0 * 3 + 0) % 3), *complex[1:3]]
                        z100 = close[0] if close else len(public)
                        z65 = (z60.note.acts.count(Act.PUSH)) % 7
                        del z99
                    case [z92, *z94]:
                        z104 = Word(
                            tag=functools.reduce(
                                lambda nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn, y: (
                                    (
                                        nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn
                                        * 2
                                        + y
                                    )
                                    % 7
                                ),
                                list(map(lambda branch: z60.n, public)),
                                0,
                            ),
                            kind=Kind.NOUN,
                        )
                        catch = Phrase(Kind.VERB, min([*complex[0:-1], z65]), z104)
                        z64 = catch.encode(p, p.emb[z60.n % 11])
            case (
                nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnm
            ):
                module = ops.stack([*z66, (p.w0 @ p.b)])
                for z119 in module:
                    z64 = ops.tanh(z64 @ p.w0 + z119)
                z64 = ops.tanh(ops.hardswish((z64 * (é_ @ p.b))))
                match alignas:
                    case Node(Node(left=Leaf(1 | 5 as signbit), k=1), _) if bool(
                        (p.g)[0] < 0.31505
                    ):
                        z123 = [
                            (z60.x * ops.softmax(z60.x @ p.out)[2]) @ q.w * p.scales[key]
                            for key, q in p.named.items()
                        ][0]
                        é_ = ops.tanh(é_)
                    case Node(Leaf(word=SIGINT), _) | Node(_, Leaf(word=SIGINT)):
                        _X = collections.defaultdict(int)
                        for reinterpret_cast in complex:
                            _X[len(complex) % 3] += abs(SIGINT) % 5
                        z65 = (_X[0 % 4] + len(_X)) % 7
                    case _:
                        delete = ops.tanh(
                            (
                                é_
                                * p.w3[
                                    len(list(itertools.dropwhile(lambda x: x < 3, complex))) % 3, 17
                                ]
                            )
                        )
                        delete += p.named["right"].step(p.g)
                        z64 = ops.tanh(delete)
    else:
        FALSE = ""
        for z130, z129 in enumerate((max(["NP", "b 7"], key=lambda w: (len(w), w))).split()):
            FALSE += f"{3:>x}"
            z64 = ops.tanh(z64 + p.emb[LONG.get(z129, z130 % 11)])
        z64 = z64 * (len(FALSE) % 4)
    é_ = ops.tanh((z64 * z60.n))
    for a__b in complex[-3:-1]:
        for final, (𐀀, stdout) in enumerate(
            zip([p.b, p.g], reversed(list(map(lambda z136: ops.tanh(p.b), z66)))), 1
        ):
            if 0 <= ((a__b * 1 - z65) % -4) < z60.weight:
                z65 = public.pop(0) % 7 if public else ops.argmax(stdout * z60.weight) % 3 % 7
                z138 = z139 = [stdout @ q.w * p.scales[key] for key, q in p.named.items()][1]
                é_ = ops.tanh((p.g @ p.w0))
            match complex:
                case [va_list] if z60.n == va_list:
                    é_ = ops.tanh(
                        (lambda z146: p.g - ops.max(p.g))((ops.outer(z60.x, z60.x) @ p.b))
                    )
                case [va_list, t1_0] if 3 == 1:
                    if ((~final) % 5) > 12:
                        raise ValueError("more than " + str(1))
                case [_, va_list, _] | [va_list, _] if z60.flag:
                    z62 -= 9223372036854775807
                case _:
                    z147 = ops.stack([p.emb[z150 % 11] for z150 in [*complex, z60.phrase.tag]])
                    if 3 < 1:
                        z147 = ops.tanh(ops.sigmoid(z147))
                    z147 = ops.linear(z147, p.w0, p.b)
                    é_ = ops.tanh(
                        ops.maximum(
                            *both(
                                p,
                                (p.w3[((z65 * 3 + z65) % -4) % 3] @ é_),
                                sum(1 for c in "a" if c in "NP"),
                            )
                        )
                    )
    return ops.tanh(ops.minimum(z64, p.g)), z66, (0 if not public else 1), alignas


@ab.model
def z152(
    p: P, RAND_MAX: Item, z154: list[int], z155: int
) -> tuple[Tensor["H"], list[Tensor["H"]], int, list[int]]:
    z156, z157, z158 = z27(p, RAND_MAX.tree, len(z154), p.b)
    z159: list[Tensor["H"]] = [z156]
    linux: list[int] = []
    z161 = RAND_MAX.tree
    typename: Optional["Chain"] = RAND_MAX.chain
    match ((3 * 1 - z158) % 3) % 5:
        case 2 | -2:
            throw = None
            for z164 in range(1):
                offsetof = ((3 * 3 + 0) % 3) % 5
                z166 = ops.tanh(walk(p, RAND_MAX.x, offsetof))
                if throw is None or offsetof > throw:
                    throw = offsetof
            z158 = (z164 + offsetof * 2 + throw * 3) % 7
            z157 = z157 * 0.5 + z166
        case 1 as fields_0:
            match RAND_MAX.trees:
                case [typedef, *z170, Context] if RAND_MAX.flag:
                    z171 = [Slot((p.m)[-1])]
                    for z172 in z154:
                        for z173 in z171:
                            z173.age += 1
                        z171.append(Slot(walk(p, z157, z155), z172 % 4))
                        z171 = [z173 for z173 in z171 if z173.age < 6] or [Slot(p.b)]
                        _Bool = max(z171, key=lambda slot: (slot.age, slot.weight))
                        _Bool.age = z172 % 5
                        _Bool.weight = _Bool.weight + 0.25
                        z171 = sorted(z171, key=lambda slot: slot.weight)[:3]
                    z158 = sum((i + 1) * c.age for i, c in enumerate(z171)) % 7
                    z157 = ops.tanh(sum(c.key * c.weight for c in z171))
                case [Leaf(word=typedef), *z170] if typedef != 0 and 6 // typedef > 2:
                    z156 = ops.tanh(
                        ops.linear(
                            ops.concat(
                                (z156 - (RAND_MAX.m)[z158 % 3, 11] * (RAND_MAX.m).mean()),
                                walk(p, RAND_MAX.x, 9223372036854775807),
                            ),
                            p.w1,
                            p.b,
                        )
                    )
                case _:
                    z157 = ops.tanh(
                        folded(
                            p,
                            lambda z175, x_: ops.tanh((z156 - ops.sum(z156))),
                            z161,
                            ("NP").find("b 7"),
                        )
                    )
            z177 = None
            for z178 in z154:
                if z177 is None or (0 < 3 < z158):
                    z177 = z178
            if z177 is not None:
                z158 = z177
        case _:
            if isinstance(z161, Many):
                nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn = ""
                for bitand, z181 in enumerate(("a").split()):
                    nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn += ("b 7")[::-1]
                    z156 = ops.tanh(z156 + p.emb[LONG.get(z181, bitand % 11)])
                z156 = z156 * (len(nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn) % 4)
            else:
                if (z184 := z158) > 2:
                    z157 = ops.tanh(z157)
                else:
                    z185 = {}
                    for z186 in range(3):
                        z185[z186] = ops.tanh((1 / (1 + (z157) ** 2)))
                    z185 = {**z185, 1: ops.tanh(p.b)}
                    z156 = ops.tanh(sum(z185.values())) if z185 else (p.b / (p.b).shape[0])
                z155 = int(((abs(RAND_MAX.weight) + 0.25) ** 1.5))
    match z161:
        case Many(scale=z189) if RAND_MAX.flag:
            if len(("b 7").split()) > 0:
                z157 = ops.tanh(ops.neg((p.m).mean(axis=0)))
                for minor in reversed(p.layers):
                    z157 = minor.step(z157)
            elif RAND_MAX.flag:
                if RAND_MAX.flag:
                    z158 = (
                        (
                            z154[len(sorted(z154, reverse=True)) % len(z154)]
                            if len(z154) > 0
                            else len(sorted(z154, reverse=True))
                        )
                        % 6
                    ) % 7
                    *z197, int64_t, typeid = [
                        *[((RAND_MAX.n & 3) % 7) for gamma, ä in zip(linux, linux[1:])],
                        (RAND_MAX.note.count if RAND_MAX.note.count is not None else RAND_MAX.n),
                        RAND_MAX.note.pair[0],
                    ]
                    z158 = (len(set(RAND_MAX.note.acts))) % 7
                    del int64_t
            elif (((z158 | RAND_MAX.n) % 7), "a b") in RAND_MAX.note.edges:
                if bool(ops.max((z156 * (p.g)[-1])) < 0.52114):
                    z203, y0 = [], []
                    for z205 in range(6):
                        heapq.heappush(z203, ((abs(RAND_MAX.n)) % 4, z205 % 2))
                    y0.append(heapq.heapreplace(z203, (6, 2))[0])
                    while z203 and len(y0) < 1:
                        y0.append(heapq.heappop(z203)[0])
                    z158 = (sum(y0) + sum(i * a for i, (a, _) in enumerate(z203))) % 7
                elif RAND_MAX.flag:
                    z206 = lambda z207: ops.tanh((p.b - (z156).sum()))
                    z157 = ops.tanh(z206(z206(RAND_MAX.x)))
                else:
                    if len(linux) > 5:
                        raise ValueError("more than " + str(6))
                    co_yield = {}
                    for z209, f_inner_2 in enumerate(z154):
                        Fork = z209 % 3
                        co_yield.setdefault(Fork, []).append(
                            ((f_inner_2 >> (RAND_MAX.n & 1)) % 6) % 7
                        )
                        co_yield[Fork][0] = (len(RAND_MAX.note.words or [f_inner_2])) % 7
                        co_yield[Fork].reverse()
                    for long, build_instance in co_yield.items():
                        z158 = (z158 * 2 + len(build_instance) + long) % 7
                    z158 = sum(len(Graph) + sum(Graph) for Graph in co_yield.values()) % 7
                    INFINITY = None
                    for z217 in linux:
                        if INFINITY is None:
                            INFINITY = ops.tanh(ops.linear(ops.concat(z156, z156), p.w1, p.b))
                        else:
                            INFINITY = ops.tanh(INFINITY @ p.w0 + ops.tanh(ops.sigmoid(p.b)))
                    if INFINITY is not None:
                        z157 = INFINITY
            elif "a b" in RAND_MAX.note.scores:
                for z218 in z154:
                    深さ = State(h=z156, n=((3 * 2 + RAND_MAX.n) % 5), k=0.25)
                    for z221 in range(((3 * 2 + RAND_MAX.n) % 5) % 3):
                        深さ = 深さ._replace(
                            h=ops.tanh(ops.linear(ops.concat(p.b, p.b), p.w1, p.b)),
                            n=(int((Act.POP).name == "POP")) % 7,
                        )
                    z157 = ops.tanh(RAND_MAX.phrase.encode(p, 深さ.h))
            else:
                z222 = {}
                for z223 in z154:
                    z222[(z223 % 2, RAND_MAX.flag)] = ops.tanh(
                        functools.reduce(
                            lambda h, é: ops.tanh(h @ p.w0 + é), (z159 + [ops.tanh(p.g)])[-9:], z157
                        )
                    )
                z156 = z222.get((0 % 2, RAND_MAX.flag), (p.g / len(RAND_MAX.x)))
                z229 = p.g
                z156 = ops.tanh(z157)
        case Leaf(3 | 5 as z230) if RAND_MAX.n == 2:
            z156 = ops.tanh((ops.where((~(p.g < 0.2)), z157, 0.25) * p.scales["right"]))
        case _:
            for z235, z234 in enumerate((reversed(z154) if (("b 7") in LONG) else z154[1:]), 1):
                for z236, z237 in reversed(list(enumerate([ops.tanh(z156) for z238 in z159]))):
                    z157 = ops.tanh(z157 @ p.w0 + z237)
                z240 = None
                for compl in linux:
                    if ops.item(ops.sum(z156)) > 0.44059:
                        z240 = ops.tanh((z156 @ p.w3[sum(1 for c in "a" if c in "NP") % 3]))
                        pass
                z156 = (p.b * p.w3[(Act.POP).value % 3, 24]) if z240 is None else z240
    for z242 in z154[-3:-1]:
        match RAND_MAX.trees:
            case [αβγ, *_] if ("a") in LONG:
                step_2, z247 = [], []
                for z248 in range(3):
                    heapq.heappush(
                        step_2,
                        (
                            ((linux[RAND_MAX.n % len(linux)] if len(linux) > 0 else RAND_MAX.n) % 6)
                            % 4,
                            z248 % 2,
                        ),
                    )
                z247.append(heapq.heapreplace(step_2, (3, 2))[0])
                while step_2 and len(z247) < 1:
                    z247.append(heapq.heappop(step_2)[0])
                z158 = (sum(z247) + sum(i * a for i, (a, _) in enumerate(step_2))) % 7
            case [*_, αβγ] if z158 != 0 and 6 // z158 > 2:
                unsigned = collections.defaultdict(int)
                for z250 in z154:
                    unsigned[len(set(RAND_MAX.note.acts)) % 3] += z158 % 5
                for ACROBAT_PROGRAM_ABI in linux:
                    unsigned[ACROBAT_PROGRAM_ABI % 3] += (
                        len(unsigned) + unsigned[ACROBAT_PROGRAM_ABI % 5]
                    )
                z158 = (unsigned[list(Act).index(Act.PUSH) % 4] + sum(unsigned.values())) % 7
            case [Leaf(word=αβγ), *p1_end] if RAND_MAX.flag or RAND_MAX.flag:
                default = {}
                for z253 in z154:
                    default[z253] = ops.tanh(z157)
                z157 = ops.tanh(sum(default.values())) if default else (z156 * ops.dot(p.g, p.g))
            case [*p1_end, αβγ]:
                if isinstance(αβγ, Many) and αβγ.children:
                    major = "aBa,b"
                    for dynamic_cast, abort in enumerate(
                        (" ".join(sorted(("NP").split(), key=lambda w: (w[-1], -len(w))))).split()
                    ):
                        major += abort
                        z156 = ops.tanh(z156 + p.emb[LONG.get(abort, dynamic_cast % 11)])
                    z156 = z156 * (len(major) % 4)
            case []:
                if (0, "NP") in RAND_MAX.note.edges:
                    (short, z262), INT64_MIN = (0, 3), ((Act.POP) == (Act.PUSH))
                    z158 = (int(ops.tanh(z156)[0] * 4)) % 7
                else:
                    z266, cx = p.m.shape
                    z156 = ops.tanh(
                        ops.reshape(p.m, z266 * cx)[cx : cx * 2] - p.emb[RAND_MAX.phrase.kind]
                    )
                    union: Optional[Tensor["H"]] = find(
                        p, z161, ((RAND_MAX.n * 2 + RAND_MAX.n) % 7)
                    )
                    z157 = (
                        ops.tanh(union + (RAND_MAX.x * z156))
                        if union is not None
                        else np.max(np.stack([z157, p.b]), axis=0)
                    )
        linux.append((Act((Act.POP).value)).value)
    return ops.tanh((ops.where((z157 <= 0.2372), p.g, 0.25)).dot(p.w0)), z159, max(3, z158), linux


WEIGHTS = P(
    emb=normal(1000, V, H),
    w0=normal(1001, H, H),
    w1=normal(1002, 2 * H, H),
    g=normal(1003, H),
    b=normal(1004, H),
    m=normal(1005, K, H),
    w3=normal(1006, K, H, H),
    out=normal(1007, H, C),
    layers=[
        Layer(w=normal(1008, H, H), b=None),
        Layer(w=normal(1009, H, H), b=None),
        Layer(w=normal(1010, H, H), b=None),
    ],
    named={
        "left": Layer(w=normal(1011, H, H), b=normal(1012, H)),
        "right": Layer(w=normal(1013, H, H), b=normal(1014, H)),
    },
    scales={"right": normal(1015, H), "left": normal(1016, H)},
    gate=None,
    gains=(normal(1017, H), normal(1018, H)),
)
CASES = [
    (
        char8_t,
        WEIGHTS,
        [
            (
                Item(
                    Leaf(8, normal(11, H)),
                    Phrase(
                        Kind.VERB,
                        1,
                        Word(Kind.NOUN, 5),
                        [
                            Phrase(
                                Kind.VERB,
                                0,
                                Word(Kind.NOUN, 2, -0.106),
                                [Word(Kind.VERB, 10, 0.284), Word(Kind.VERB, 2)],
                            ),
                            Phrase(
                                Kind.VERB,
                                5,
                                Word(Kind.NOUN, 6, 0.310),
                                [Word(Kind.VERB, 6, -0.872), Word(Kind.NOUN, 6)],
                            ),
                        ],
                    ),
                    Chain(
                        3, 0.849, False, normal(13, H), Chain(-1, 0.847, False, normal(12, H), None)
                    ),
                    [
                        Node(Leaf(3, normal(1, H)), Leaf(3, normal(2, H)), 1, True),
                        Node(Leaf(2, normal(3, H)), Leaf(0, normal(4, H)), 3, False),
                    ],
                    [
                        [
                            Node(Leaf(3, normal(5, H)), Leaf(8, normal(6, H)), 3, True),
                            Node(Leaf(10, normal(7, H)), Leaf(7, normal(8, H)), 1, False),
                        ],
                        [],
                        [Node(Leaf(6, normal(9, H)), Leaf(5, normal(10, H)), 2, False)],
                    ],
                    3,
                    0.485,
                    True,
                    normal(14, H),
                    normal(15, 3, H),
                    Note(
                        "nsubj",
                        1,
                        normal(16, H),
                        (0, (0.564, True)),
                        [(1, "nsubj")],
                        {"det": 0.619},
                        Note(
                            "",
                            3,
                            normal(17, H),
                            (3, (-0.038, True)),
                            [(3, "a b"), (3, "NP")],
                            {"": -0.874, "NP": 0.789, "a b": -0.284},
                            None,
                            [7, 10, 2, 0],
                        ),
                        None,
                        Act.KEEP,
                        [Act.KEEP, Act.POP],
                        Act.POP,
                    ),
                ),
                [0, 7, 0],
                3037000500,
            ),
            (
                Item(
                    Node(
                        Many(
                            [
                                Node(Leaf(7, normal(22, H)), Leaf(8, normal(23, H)), 3, True),
                                Leaf(4, normal(24, H)),
                                Node(Leaf(7, normal(25, H)), Leaf(6, normal(26, H)), 1, True),
                            ],
                            0.436,
                        ),
                        Node(
                            Node(Leaf(3, normal(27, H)), Leaf(8, normal(28, H)), 0, True),
                            Leaf(2, normal(29, H)),
                            0,
                            False,
                        ),
                        3,
                        True,
                    ),
                    Phrase(Kind.VERB, 2, Word(Kind.VERB, 0, 0.386)),
                    None,
                    [Leaf(1, normal(18, H)), Leaf(8, normal(19, H))],
                    [
                        [Many([], 0.727)],
                        [Node(Leaf(4, normal(20, H)), Leaf(5, normal(21, H)), 3, True)],
                    ],
                    -2,
                    -0.963,
                    False,
                    normal(30, H),
                    normal(31, 3, H),
                    Note(
                        "det",
                        1,
                        normal(32, H),
                        (2, (0.748, False)),
                        [(0, "det"), (0, "nsubj"), (2, "NP")],
                        {"nsubj": 0.728, "": -0.449},
                        None,
                        [7, 6, 1, 4],
                    ),
                ),
                [1],
                9,
            ),
            (
                Item(
                    Many(
                        [
                            Leaf(2, normal(35, H)),
                            Node(
                                Many(
                                    [
                                        Leaf(10, normal(36, H)),
                                        Leaf(5, normal(37, H)),
                                        Leaf(5, normal(38, H)),
                                    ],
                                    0.917,
                                ),
                                Leaf(7, normal(39, H)),
                                3,
                                False,
                            ),
                        ],
                        -0.293,
                    ),
                    Word(Kind.VERB, 4),
                    Chain(3, -0.896, False, normal(40, H), None),
                    [Many([Leaf(6, normal(33, H)), Leaf(1, normal(34, H))], 0.294)],
                    [],
                    2,
                    -0.786,
                    False,
                    normal(41, H),
                    normal(42, 3, H),
                    Note(
                        "NP",
                        0,
                        None,
                        (2, (0.835, True)),
                        [(0, "NP"), (2, "nsubj"), (3, "")],
                        {"a b": 0.711},
                        Note(
                            "det",
                            3,
                            normal(44, H),
                            (3, (0.595, False)),
                            [(2, "nsubj")],
                            {"det": 0.404, "": 0.647, "NP": -0.858},
                            None,
                            [4, 8],
                        ),
                        [6, 0, 7, 9],
                    ),
                ),
                [1, 4],
                0,
            ),
            (
                Item(
                    Node(
                        Node(
                            Node(Leaf(3, normal(48, H)), Leaf(0, normal(49, H)), 0, True),
                            Node(Leaf(2, normal(50, H)), Leaf(5, normal(51, H)), 2, False),
                            0,
                            True,
                        ),
                        Node(
                            Node(Leaf(4, normal(52, H)), Leaf(5, normal(53, H)), 2, False),
                            Node(Leaf(1, normal(54, H)), Leaf(8, normal(55, H)), 3, True),
                            3,
                            False,
                        ),
                        3,
                        False,
                    ),
                    Phrase(
                        Kind.VERB,
                        6,
                        Phrase(
                            Kind.VERB,
                            0,
                            Word(Kind.NOUN, 9),
                            [Word(Kind.VERB, 1), Word(Kind.NOUN, 3)],
                        ),
                        [Word(Kind.VERB, 4, 0.874)],
                    ),
                    Chain(3, -0.692, False, normal(56, H), None),
                    [Leaf(10, normal(45, H)), Leaf(0, normal(46, H))],
                    [[Leaf(4, normal(47, H))], []],
                    1,
                    0.902,
                    True,
                    normal(57, H),
                    normal(58, 3, H),
                    Note(
                        "a b",
                        0,
                        None,
                        (3, (-0.354, False)),
                        [(1, "a b"), (0, "a b")],
                        {"": 0.758},
                        None,
                        None,
                        Act.PUSH,
                        [],
                        None,
                    ),
                ),
                [1, 9, 9, 5],
                0,
            ),
            (
                Item(
                    Node(
                        Many([Leaf(1, normal(66, H))], -0.426),
                        Many(
                            [Node(Leaf(4, normal(67, H)), Leaf(7, normal(68, H)), 2, True)], 0.515
                        ),
                        3,
                        False,
                    ),
                    Phrase(
                        Kind.VERB,
                        9,
                        Phrase(Kind.NOUN, 5, Word(Kind.VERB, 1, 0.252), [Word(Kind.VERB, 4)]),
                        [
                            Word(Kind.VERB, 3),
                            Phrase(Kind.VERB, 5, Word(Kind.VERB, 5), [Word(Kind.NOUN, 9)]),
                        ],
                    ),
                    Chain(-1, -0.807, True, normal(69, H), None),
                    [
                        Node(Leaf(5, normal(60, H)), Leaf(1, normal(61, H)), 2, True),
                        Leaf(5, normal(62, H)),
                    ],
                    [
                        [
                            Leaf(6, normal(63, H)),
                            Node(Leaf(10, normal(64, H)), Leaf(4, normal(65, H)), 1, True),
                        ]
                    ],
                    0,
                    -0.566,
                    True,
                    normal(70, H),
                    normal(71, 3, H),
                    Note(
                        "det",
                        1,
                        None,
                        (-1, (-0.565, False)),
                        [(3, ""), (3, "")],
                        {},
                        Note(
                            "a b",
                            None,
                            None,
                            (3, (0.928, False)),
                            [(0, "nsubj"), (2, ""), (1, "")],
                            {"": 0.289},
                            None,
                            [9],
                            Act.PUSH,
                            [],
                            Act.KEEP,
                        ),
                        [3, 7],
                    ),
                ),
                [6],
                9223372036854775807,
            ),
        ],
        {
            "executor": "vm",
            "ghost_ops": True,
            "program_phases": False,
            "fibers": False,
            "autoschedule": True,
        },
    ),
    (
        z152,
        WEIGHTS,
        [
            (
                Item(
                    Node(
                        Many(
                            [Node(Leaf(9, normal(74, H)), Leaf(6, normal(75, H)), 0, True)], -0.032
                        ),
                        Many([Leaf(9, normal(76, H)), Leaf(1, normal(77, H))], 0.645),
                        1,
                        False,
                    ),
                    Phrase(Kind.NOUN, 3, Phrase(Kind.NOUN, 9, Word(Kind.VERB, 4, -0.456))),
                    Chain(2, 0.156, True, normal(78, H), None),
                    [],
                    [],
                    0,
                    0.202,
                    True,
                    normal(79, H),
                    normal(80, 3, H),
                    Note(
                        "",
                        3,
                        None,
                        (3, (-0.568, True)),
                        [(1, "det"), (2, "NP"), (0, "NP")],
                        {},
                        None,
                        [],
                    ),
                ),
                [1, 2, 2],
                3037000500,
            ),
            (
                Item(
                    Leaf(10, normal(86, H)),
                    Word(Kind.NOUN, 5),
                    Chain(
                        1, 0.883, False, normal(88, H), Chain(0, 0.565, False, normal(87, H), None)
                    ),
                    [
                        Node(Leaf(9, normal(82, H)), Leaf(10, normal(83, H)), 0, True),
                        Node(Leaf(6, normal(84, H)), Leaf(2, normal(85, H)), 1, True),
                    ],
                    [],
                    1,
                    -0.783,
                    True,
                    normal(89, H),
                    normal(90, 3, H),
                    Note(
                        "NP",
                        3,
                        normal(91, H),
                        (1, (0.301, False)),
                        [(1, "NP"), (3, "")],
                        {"": -0.166},
                        Note(
                            "",
                            1,
                            None,
                            (1, (0.077, False)),
                            [(1, "det")],
                            {},
                            None,
                            None,
                            Act.PUSH,
                            [Act.PUSH, Act.KEEP],
                            Act.POP,
                        ),
                        [10, 2],
                        Act.KEEP,
                        [Act.PUSH, Act.PUSH],
                        Act.KEEP,
                    ),
                ),
                [10],
                0,
            ),
        ],
        {"executor": "vm", "horizontal_fusion": True},
    ),
]
