"""Which values no pattern matches, and which patterns no value reaches (Maranget, "Warnings for
pattern matching", 2007).

Rows of patterns are matched with tuples of values, column by column. A column's type determines the
constructors of its values: the members of a union, True and False, the single one of a tuple. Those
of a list are its lengths, up to the largest that some pattern distinguishes from all larger ones.
Ints and floats have too many: only a wildcard covers them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ir import typed as T
from ..ir.types import BOOL, ListType, MemberType, OptionalType, TupleType, Type
from .pattern_tree import Anything, Items, Member, OneOf, Parts, Pattern, Value, members

Key = str | int | float | bool
Row = Sequence[Pattern]
Constructors = dict[Key, tuple[Type, ...]]

_TUPLE = "()"
# Begins the key of a list of any greater length; the number of items before the rest follows it.
_LONGER = "*"


class Coverage:
    """Answers for the data types of one module."""

    def __init__(self, datas: Mapping[str, T.DataDef]) -> None:
        self.datas = datas

    def uncovered(self, rows: Sequence[Row], types: Sequence[Type]) -> list[str] | None:
        """Values that no row matches, as patterns, one per column; None if there are none."""
        if not types:
            return None if rows else []
        all_of = self._constructors(types[0], rows)
        for key in self._split(rows, types[0]) or ():
            parts = (all_of or {})[key]
            missing = self.uncovered(self._rows(rows, key, len(parts)), [*parts, *types[1:]])
            if missing is not None:
                n = len(parts)
                return [self._shown(types[0], key, missing[:n]), *missing[n:]]
        if self._split(rows, types[0]):
            return None
        missing = self.uncovered(self._rest(rows), types[1:])
        if missing is None:
            return None
        heads = _heads(rows)
        open_keys = [k for k in all_of or () if k not in heads] if heads else []
        if open_keys and all_of is not None:
            key = open_keys[0]
            return [self._shown(types[0], key, ["_"] * len(all_of[key])), *missing]
        return ["_", *missing]

    def any_of(self, name: str) -> str:
        """All values of a data type, as a pattern."""
        data = self.datas[name]
        if data.length is not None:
            return f"({', '.join('_' * data.length)}{',' * (data.length == 1)})"
        return (
            f"{data.cls.__name__}()" if data.raw else "None" if name == "None" else f"{name}(...)"
        )

    def _shown(self, t: Type, key: Key, parts: list[str]) -> str:
        """Values made by a constructor, as a pattern."""
        if not members(t):
            return _shown(t, key, parts)
        name = str(key)
        if parts == ["_"] * len(parts):
            return self.any_of(name)
        return parts[0] if self.datas[name].raw else f"{name}({', '.join(parts)})"

    def useful(self, rows: Sequence[Row], row: Row, types: Sequence[Type]) -> bool:
        """Whether `row` matches something that no row before it does."""
        if not types:
            return not rows
        head, *rest = row
        if isinstance(head, OneOf):
            return any(self.useful(rows, [a, *rest], types) for a in head.alternatives)
        all_of = self._constructors(types[0], [*rows, row])
        keys: list[Key] | None
        if isinstance(head, Items):
            keys = list(all_of or ())
        elif isinstance(head, Anything):
            keys = self._split(rows, types[0])
            if not keys:
                return self.useful(self._rest(rows), rest, types[1:])
        else:
            keys = [_key(head)]
        for key in keys:
            parts = (all_of or {}).get(key, ())
            for inner in self._rows([row], key, len(parts)):  # one, if `row` matches such values
                if self.useful(self._rows(rows, key, len(parts)), inner, [*parts, *types[1:]]):
                    return True
        return False

    def _constructors(self, t: Type, rows: Sequence[Row]) -> Constructors | None:
        """The constructors of all values of a type, with the types of their parts; None if there
        are too many to list. The first patterns of `rows` say which lengths of lists there are."""
        if isinstance(t, ListType):
            return _lengths(t, rows)
        if isinstance(t, TupleType):
            return {_TUPLE: t.items}
        if t == BOOL:
            return {True: (), False: ()}
        if isinstance(t, MemberType):
            return dict.fromkeys(range(len(t.members)), ())
        names = members(t)
        found: Constructors = {n: tuple(i for _, i in self.datas[n].fields) for n in names}
        return found or None

    def _split(self, rows: Sequence[Row], t: Type) -> list[Key] | None:
        """The constructors of the first column, if the rows mention all of them."""
        all_of = self._constructors(t, rows)
        if all_of is None:
            return None
        if not isinstance(t, ListType) and not set(all_of) <= _heads(rows):
            return None
        return list(all_of)

    def _rows(self, rows: Sequence[Row], key: Key, parts: int) -> list[Row]:
        """What is left to match if the first value was made by `key` (the specialised matrix)."""
        found: list[Row] = []
        for head, *rest in rows:
            match head:
                case OneOf(alternatives=alternatives):
                    found += self._rows([[a, *rest] for a in alternatives], key, parts)
                case Anything(node=node):
                    found.append([*[Anything(node)] * parts, *rest])
                case Member(fields=fields) if _key(head) == key:
                    found.append([*(p for _, p in fields), *rest])
                case Parts(items=items):
                    found.append([*items, *rest])
                case Items(node=node, front=front, back=back):
                    between = parts - head.least
                    exactly = isinstance(key, int) and between == 0
                    if exactly or (head.rest is not None and between >= 0):
                        found.append([*front, *[Anything(node)] * between, *back, *rest])
                case Value() if _key(head) == key:
                    found.append(rest)
        return found

    def _rest(self, rows: Sequence[Row]) -> list[Row]:
        """The rows that match any first value, without their first pattern (the default matrix)."""
        found: list[Row] = []
        for head, *rest in rows:
            if isinstance(head, OneOf):
                found += self._rest([[a, *rest] for a in head.alternatives])
            elif isinstance(head, Anything):
                found.append(rest)
        return found


def _lengths(t: ListType, rows: Sequence[Row]) -> Constructors | None:
    """The lengths of lists that the patterns distinguish, of which the last one stands for all
    greater ones, too; None if there are no patterns of lists."""
    found = _list_patterns([head for head, *_ in rows])
    if not found:
        return None
    open_ended = [p for p in found if p.rest is not None]
    back = max((len(p.back) for p in open_ended), default=0)
    front = max((len(p.front) for p in open_ended), default=0)
    exact = max((p.least for p in found if p.rest is None), default=-1)
    front = max(front, exact + 1 - back)
    lengths: Constructors = {n: (t.item,) * n for n in range(front + back)}
    return {**lengths, f"{_LONGER}{front}": (t.item,) * (front + back)}


def _list_patterns(heads: Sequence[Pattern]) -> list[Items]:
    found: list[Items] = []
    for head in heads:
        if isinstance(head, OneOf):
            found += _list_patterns(head.alternatives)
        elif isinstance(head, Items):
            found.append(head)
    return found


def _key(pattern: Member | Parts | Value) -> Key:
    match pattern:
        case Member(data=data):
            return data
        case Value(constant=constant):
            return constant.value
    return _TUPLE


def _heads(rows: Sequence[Row]) -> set[Key]:
    """The constructors that the first column mentions."""
    found: set[Key] = set()
    for head, *_ in rows:
        if isinstance(head, OneOf):
            found |= _heads([[a] for a in head.alternatives])
        elif not isinstance(head, (Anything, Items)):
            found.add(_key(head))
    return found


def _shown(t: Type, key: Key, parts: list[str]) -> str:
    """Values made by a constructor, as a pattern."""
    if isinstance(t, MemberType):
        return f"{t.cls.__name__}.{t.members[int(key)].name}"
    if isinstance(t, OptionalType):
        return "None" if parts[0] == "False" else parts[1]
    if isinstance(t, TupleType):
        return f"({', '.join(parts)})"
    if isinstance(t, ListType):
        if isinstance(key, str):
            front = int(key.removeprefix(_LONGER))
            parts = [*parts[:front], "*_", *parts[front:]]
        return f"[{', '.join(parts)}]"
    if isinstance(key, bool):
        return str(key)
    raise AssertionError(f"{t} has no constructors")
