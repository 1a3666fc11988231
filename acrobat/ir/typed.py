"""The typed IR: what the author wrote, in structured A-normal form.

    module   ::= datas, params, functions, entry
    function ::= name(var, ...) -> (type, ...): region
    region   ::= stmt*; end
    end      ::= yield atom, ...        leaves the region with the values of the enclosing stmt
               | return atom, ...       leaves the function
               | break atom, ...        leaves the innermost loop with its carried values
               | continue atom, ...     begins the loop's next iteration with these values
    stmt     ::= let var, ... = rhs
               | if atom: region else: region        -> var, ...
               | match var: (case data(var, ...): region)*   -> var, ...
               | for var in range(atom, atom, step) carrying (var = atom, ...): region -> var, ...
               | while region carrying (var = atom, ...): region               -> var, ...
               | map var in range(0, atom): region                             -> var, ...
    rhs      ::= op(atom, ...; attrs)                 a tensor operation (ir.ops)
               | scalar(atom, ...)                    int/float/bool arithmetic and comparison
               | param var.field                   (gone after `specialise`)
               | weight "path"                     (only after `specialise`)
               | call function(atom, ...)
               | parallel(call, ...)                  instance parallelism
               | field var.name | construct data(atom, ...)
               | tuple(atom, ...) | item var[i]       (gone after `flatten_tuples`)
               | list op(atom, ...)                   (see `ListOp`)
               | read atom                            a decision: the value of a tensor of size 1
               | narrow var                           the same value at a narrower type
               | phase                                the next program phase begins
    atom     ::= var | constant

Every variable is assigned once. Variables are compared by identity of their number, not by name.
A statement all of whose regions leave (return, break, continue) is the last of its region: the
`end` of that region is then `Unreachable`. A `map` body may not return, break or continue. A
call's result is one variable per result of the function (one variable of tuple type before
`flatten_tuples`).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from .dims import Dim
from .span import NOWHERE, Span
from .types import Type

_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Var:
    """A variable: its author's name (for printing), its type, its number (its identity)."""

    name: str = field(compare=False)
    type: Type = field(compare=False)
    number: int = field(default_factory=lambda: next(_numbers))

    def __str__(self) -> str:
        return f"{self.name}.{self.number}"


@dataclass(frozen=True, slots=True)
class Const:
    """A number or truth value written in the source."""

    value: int | float | bool
    type: Type

    def __str__(self) -> str:
        return repr(self.value)


Atom = Var | Const
AttrValue = int | float | str | Dim | tuple[int | Dim, ...]


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
    """Arithmetic on int, float, bool: op in + - * // % / < <= > >= == != and or not neg min max
    int float abs (Python's meaning, but an int that does not fit into 64 bits is an error); what
    loops are numbered with: `range_length` of start, stop, step, and `range_item` of start, number,
    step, which wraps around; and `is_none` of a value whose type has the member None."""

    op: str
    args: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class ParamRead:
    """`p.field` of a variable of params type: a weight, or nested params."""

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
    its path: "matmul(zeros(shape=(4,)), u)". Of a long one the rest is a hash: what uses a weight
    twice that uses another one twice would have a name of twice the length on every level."""

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


_LONGEST_PATH = 400


@dataclass(frozen=True, slots=True)
class Call:
    function: str
    args: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Parallel:
    """Independent calls; the results are those of the calls, in order, concatenated."""

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
    slice  (list, int, int)       bounds as in Python, clamped; both given
    reverse(list)
    """

    op: str
    args: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Read:
    """The number in a tensor of size 1 (`ops.item`, `ops.argmax`): the author's control flow may
    depend on it, so the tensor is computed before the program goes on. The type of the out says
    how it is read: float, or int for an index."""

    tensor: Var


@dataclass(frozen=True, slots=True)
class Narrow:
    """`obj`, known by a test on None to be of the out's narrower type."""

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


@dataclass(frozen=True, slots=True)
class Let:
    """`outs = rhs`. One out, but for Call and Parallel after `flatten_tuples`; before it, a
    Parallel has one out per call."""

    outs: tuple[Var, ...]
    rhs: Rhs
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class If:
    outs: tuple[Var, ...]
    cond: Atom
    then: Region
    orelse: Region
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Arm:
    """`case data(binds...)`: one variable per field of `data`, in order."""

    data: str
    binds: tuple[Var, ...]
    region: Region


@dataclass(frozen=True, slots=True)
class Match:
    """Exhaustive over the type of `subject`."""

    outs: tuple[Var, ...]
    subject: Var
    arms: tuple[Arm, ...]
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class For:
    """`for index in range(start, stop, step)`: one iteration after the other. `carried` are the
    variables, `inits` their first values; `body` yields their next ones (or breaks, continues,
    returns). `outs` are their last values. `step` is not 0."""

    outs: tuple[Var, ...]
    index: Var
    start: Atom
    stop: Atom
    step: Atom
    carried: tuple[Var, ...]
    inits: tuple[Atom, ...]
    body: Region
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class While:
    """`cond` yields one truth value; it and `body` see `carried`, as in `For`."""

    outs: tuple[Var, ...]
    cond: Region
    carried: tuple[Var, ...]
    inits: tuple[Atom, ...]
    body: Region
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Map:
    """A comprehension: `body` runs for index 0 to stop - 1, each iteration independent of the
    others (instance parallelism), and yields one value per out; the outs are lists. With
    `filtered`, the body yields a truth value first: whether the iteration's values are kept."""

    outs: tuple[Var, ...]
    index: Var
    stop: Atom
    body: Region
    filtered: bool = False
    span: Span = NOWHERE


Stmt = Let | If | Match | For | While | Map


@dataclass(frozen=True, slots=True)
class Yield:
    values: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Break:
    """Leaves the innermost For or While."""

    values: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Continue:
    """Begins the next iteration of the innermost For or While."""

    values: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Return:
    values: tuple[Atom, ...]
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Unreachable:
    """Ends a region whose last statement leaves it on every path (return, break, continue)."""


End = Yield | Return | Break | Continue | Unreachable


@dataclass(frozen=True, slots=True)
class Region:
    stmts: tuple[Stmt, ...]
    end: End


@dataclass(frozen=True, slots=True)
class Function:
    """`results` has one type (before `flatten_tuples` possibly a tuple), afterwards one per
    returned value. `body` ends every path in a Return."""

    name: str
    params: tuple[Var, ...]
    results: tuple[Type, ...]
    body: Region
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class DataDef:
    """An `@ab.data` class: `tag` is its number within the module, `cls` the Python class."""

    name: str
    tag: int
    fields: tuple[tuple[str, Type], ...]
    cls: type


@dataclass(frozen=True, slots=True)
class ParamsDef:
    """An `@ab.params` class; fields are tensors or nested params."""

    name: str
    fields: tuple[tuple[str, Type], ...]
    cls: type


@dataclass(frozen=True, slots=True)
class Module:
    """`entry` is the model given to `ab.compile`: its first parameter is the params object, the
    others make up one instance. `result` is its declared result type, tuples kept, from which
    results are rebuilt. `folded` are the weights that the compiler makes, by path; after
    `specialise` a `Weight` may name one of them."""

    datas: Mapping[str, DataDef]
    params: Mapping[str, ParamsDef]
    functions: Mapping[str, Function]
    entry: str
    result: Type
    folded: Mapping[str, FoldedWeight] = field(default_factory=dict)
