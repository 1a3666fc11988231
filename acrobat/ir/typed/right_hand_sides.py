"""Right-hand sides: what a `Let` binds variables to."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256

from .atoms import Atom, AttrValue, Const, Var

# Limit on the readable names of weights that the compiler makes.
_LONGEST_PATH = 400


@dataclass(frozen=True, slots=True)
class Op:
    """A tensor operation of `ir.ops.OPS`; `attrs` as sorted pairs."""

    name: str
    args: tuple[Atom, ...]
    attrs: tuple[tuple[str, AttrValue], ...] = ()

    def attr(self, name: str) -> AttrValue:
        return dict(self.attrs)[name]


@dataclass(frozen=True, slots=True)
class Scalar:
    """Arithmetic on int, float, bool: op in + - * // % / ** & | ^ << >> < <= > >= == != and or not
    neg invert min max int float abs round (Python's meaning, but an int that does not fit into 64
    bits is an error, and `**` of two ints is an int); the functions of `ir.mathematics` and of
    `ir.host_functions`; for the numbers of a range: `range_length` of start, stop, step, and
    `range_item` of start, number, step, which wraps around; and `is_none` of a value whose type has
    the member None."""

    op: str
    args: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class ParamRead:
    """`p.field` of a variable of params type: a weight or nested params."""

    params: Var
    field: str


@dataclass(frozen=True, slots=True)
class Weight:
    """The weight at `path` ("w", "forward.w"): the same for the whole mini-batch."""

    path: str


@dataclass(frozen=True, slots=True)
class FoldedWeight:
    """A weight that the compiler makes: a tensor operation on weights and constants alone, computed
    once, when the model is compiled. `path` is a readable name, which says what it is and serves as
    its path: "matmul(zeros(shape=(4,)), u)". If that is too long, a hash replaces the operands: the
    name of a weight that uses another one twice doubles in length on every level."""

    op: str = field(compare=False)
    args: tuple[Weight | FoldedWeight | Const, ...] = field(compare=False)
    attrs: tuple[tuple[str, AttrValue], ...] = field(compare=False)
    path: str = field(init=False)

    def __post_init__(self) -> None:
        args = [str(a.value) if isinstance(a, Const) else a.path for a in self.args]
        args += [f"{k}={v}" for k, v in self.attrs]
        path = f"{self.op}({', '.join(args)})"
        if len(path) > _LONGEST_PATH:
            path = f"{self.op}({sha256(path.encode()).hexdigest()[:32]})"
        object.__setattr__(self, "path", path)


@dataclass(frozen=True, slots=True)
class Call:
    function: str
    args: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Parallel:
    """Independent calls; the results are those of the calls, concatenated in order."""

    calls: tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class GetField:
    obj: Var
    field: str


@dataclass(frozen=True, slots=True)
class Construct:
    data: str
    args: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class MakeTuple:
    items: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class GetItem:
    obj: Var
    index: int


@dataclass(frozen=True, slots=True)
class ListOp:
    """An operation on lists, which are values: none changes its operands.

    make   (item, ...)            a new list
    append (list, item)           the list with one more item at its end
    concat (list, list)
    len    (list)                 int
    get    (list, int)            negative indices count from the end; out of range is the
                                  instance's fault
    get_or (list, int, item)      the item at a natural number, or `item` past the end
    slice  (list, int, int)       bounds as in Python, clamped; both given
    reverse(list)
    set    (list, int, item)      the list with another item at an index, as for get
    flatten(list)                 of a list of lists: all their items, one list after the other
    remove (list, int)            the list without the item at an index, as for get
    sort   (list)                 of ints or floats: ascending, NaN last
    order  (list)                 of ints, floats or strings: the indices of the items in the
                                  order of `sort`, which is stable (argsort)
    find   (list, .., item, ..)   int: the first index at which each list has its item, or -1; the
                                  lists are of one length, of ints, truth values or strings
    """

    op: str
    args: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Read:
    """The number in a tensor of size 1 (`ops.item`, `ops.argmax`): the author's control flow may
    depend on it, so the tensor is computed before the program goes on. The type of the variable
    says how it is read: float, or int for an index."""

    tensor: Var


@dataclass(frozen=True, slots=True)
class Narrow:
    """`obj`, known by a test for None to be of the variable's narrower type."""

    obj: Var


@dataclass(frozen=True, slots=True)
class NextPhase:
    """`ab.phase()`: what follows belongs to the next program phase. No outs. Only in the entry's
    outermost region."""


Rhs = (
    Op
    | Scalar
    | ParamRead
    | Weight
    | Call
    | Parallel
    | GetField
    | Construct
    | MakeTuple
    | GetItem
    | ListOp
    | Read
    | Narrow
    | NextPhase
)
