"""Functions that a compiled program leaves to Python: those of strings, and lookups in large dicts
and sets of the module. Each is an operation of `typed.Scalar`.

A program that needs one calls back into Python, once per mini-batch for the same arguments
(runtime/include/acrobat/python/host_calls.h). Strings stay numbers there, a result that is a new
string gets the next number.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from ..errors import InstanceError
from .types import BOOL, FLOAT, INT, TEXT, Type

# A bound of a slice that is not written.
NO_BOUND = -(2**63)
# The longest string that is computed when a model is compiled.
_LONG = 1000
# What orders strings.
LESS = "str.<"


@dataclass(frozen=True, slots=True)
class HostFunction:
    """`compute` gets values of the types `args` and returns one of the type `result`; a `Lookup`
    comes first if it `looks_up`, in place of the number that stands for it."""

    args: tuple[Type, ...]
    result: Type
    compute: Callable[..., Any]
    looks_up: bool = False


@dataclass(frozen=True, slots=True)
class Lookup:
    """A dict, set or list of the module that a model looks keys up in; errors call it `text`."""

    text: str
    items: Mapping[Any, Any] | Collection[Any]


def _slice(text: str, *bounds: int) -> str:
    start, stop, step = (None if b == NO_BOUND else b for b in bounds)
    return text[start:stop:step]


def _reads_as(kind: Callable[[str], Any], text: str) -> bool:
    try:
        kind(text)
    except ValueError:
        return False
    return True


# A loop over the parts of a string asks for one after the other.
@lru_cache(maxsize=128)
def _split(name: str, text: str, separator: str | None, most: int) -> Sequence[str]:
    found: Sequence[str] = getattr(text, name)(separator, most)
    return found


@lru_cache(maxsize=128)
def _lines(text: str) -> Sequence[str]:
    return text.splitlines()


def _find(lookup: Lookup, key: Any) -> Any:
    items: Any = lookup.items
    try:
        return items[key]
    except KeyError:
        raise InstanceError(f"KeyError: {lookup.text} has no key {key!r}") from None
    except IndexError:
        raise InstanceError(
            f"list index {key} is out of range: the list has {len(items)} items"
        ) from None


def _find_or(lookup: Lookup, key: Any, default: Any) -> Any:
    assert isinstance(lookup.items, Mapping)
    return lookup.items.get(key, default)


def _has(lookup: Lookup, key: Any) -> bool:
    return key in lookup.items


HOST_FUNCTIONS: dict[str, HostFunction] = {}


def _enter(name: str, args: tuple[Type, ...], result: Type, compute: Callable[..., Any]) -> None:
    HOST_FUNCTIONS[name] = HostFunction(args, result, compute, name.startswith("lookup."))


def _methods(names: str, more: tuple[Type, ...], result: Type) -> None:
    """Methods of strings; the number of their arguments belongs to the operation's name."""
    for name in names.split():
        _enter(f"str.{name}/{len(more)}", (TEXT, *more), result, getattr(str, name))


_methods("lower upper casefold title capitalize swapcase strip lstrip rstrip", (), TEXT)
_methods("isalpha isdigit isalnum isupper islower isspace isnumeric isdecimal", (), BOOL)
_methods("istitle isascii isidentifier isprintable", (), BOOL)
_methods("strip lstrip rstrip removeprefix removesuffix", (TEXT,), TEXT)
_methods("startswith endswith", (TEXT,), BOOL)
_methods("find rfind index rindex count", (TEXT,), INT)
_methods("replace", (TEXT, TEXT), TEXT)
_methods("replace", (TEXT, TEXT, INT), TEXT)
_methods("zfill ljust rjust center", (INT,), TEXT)

for _name in ("split", "rsplit"):
    # By white space, and by a separator: how many parts, and one of them.
    for _more in ((), (TEXT,)):

        def _parts(
            text: str, *given: Any, _name: str = _name, _by: int = len(_more)
        ) -> Sequence[str]:
            return _split(_name, text, given[0] if _by else None, given[_by])

        def _count(*given: Any, _parts: Callable[..., Sequence[str]] = _parts) -> int:
            return len(_parts(*given))

        def _part(*given: Any, _parts: Callable[..., Sequence[str]] = _parts) -> str:
            part: str = _parts(*given[:-1])[given[-1]]
            return part

        _enter(f"str.{_name}.len/{len(_more)}", (TEXT, *_more, INT), INT, _count)
        _enter(f"str.{_name}.item/{len(_more)}", (TEXT, *_more, INT, INT), TEXT, _part)

_enter("str.splitlines.len/0", (TEXT,), INT, lambda text: len(_lines(text)))
_enter("str.splitlines.item/0", (TEXT, INT), TEXT, lambda text, i: _lines(text)[i])

for _name in ("partition", "rpartition"):
    _enter(
        f"str.{_name}",
        (TEXT, TEXT, INT),
        TEXT,
        lambda text, separator, i, _name=_name: getattr(text, _name)(separator)[i],
    )

_enter("str.len", (TEXT,), INT, len)
_enter("str.item", (TEXT, INT), TEXT, operator.getitem)
_enter("str.slice", (TEXT, INT, INT, INT), TEXT, _slice)
_enter("str.+", (TEXT, TEXT), TEXT, operator.add)
_enter("str.*", (TEXT, INT), TEXT, operator.mul)
_enter("str.in", (TEXT, TEXT), BOOL, lambda part, whole: part in whole)
for _name, _compare in (
    ("<", operator.lt),
    ("<=", operator.le),
    (">", operator.gt),
    (">=", operator.ge),
):
    _enter(f"str.{_name}", (TEXT, TEXT), BOOL, _compare)
_enter("ord", (TEXT,), INT, ord)
_enter("chr", (INT,), TEXT, chr)
_enter("int.str", (TEXT,), INT, int)
_enter("int.str/2", (TEXT, INT), INT, int)
_enter("float.str", (TEXT,), FLOAT, float)
_enter("reads as int", (TEXT,), BOOL, partial(_reads_as, int))
_enter("reads as float", (TEXT,), BOOL, partial(_reads_as, float))
for _of, _type in (("int", INT), ("float", FLOAT), ("bool", BOOL), ("str", TEXT)):
    _enter(f"str.{_of}", (_type,), TEXT, str)
    _enter(f"repr.{_of}", (_type,), TEXT, repr)
    _enter(f"ascii.{_of}", (_type,), TEXT, ascii)
    _enter(f"format.{_of}", (_type, TEXT), TEXT, format)
for _of, _type in (("int", INT), ("str", TEXT)):
    _enter(f"lookup.has.{_of}", (INT, _type), BOOL, _has)
    for _to, _result in (("int", INT), ("float", FLOAT), ("bool", BOOL), ("str", TEXT)):
        _enter(f"lookup.get.{_of}.{_to}", (INT, _type), _result, _find)
        _enter(f"lookup.or.{_of}.{_to}", (INT, _type, _result), _result, _find_or)


def bound(name: str, lookups: Sequence[Lookup]) -> Callable[..., Any]:
    """What a compiled program calls, with arguments of Python's own types. It may raise anything;
    an int may be too large (runtime/src/host_calls.cc)."""
    function = HOST_FUNCTIONS[name]
    return partial(_looked_up, function.compute, lookups) if function.looks_up else function.compute


def _looked_up(
    compute: Callable[..., Any], lookups: Sequence[Lookup], number: int, *args: Any
) -> Any:
    return compute(lookups[number], *args)


def host_call(name: str, lookups: Sequence[Lookup], args: Sequence[Any]) -> Any:
    """The result for an interpreter. InstanceError for whatever the function raises, and for an int
    that does not fit into 64 bits, with the messages of a compiled program."""
    try:
        result = bound(name, lookups)(*args)
    except (InstanceError, MemoryError):
        raise
    except Exception as error:
        raise InstanceError(f"{type(error).__name__}: {error}") from None
    if HOST_FUNCTIONS[name].result == INT and not -(2**63) <= result < 2**63:
        raise InstanceError(f"{result} does not fit into 64 bits")
    return result


def computed(name: str, args: Sequence[Any]) -> Any:
    """The result when a model is compiled; None if it is an error, which is left to run time, or
    depends on a lookup, or may be a long string."""
    function = HOST_FUNCTIONS[name]
    long = any(isinstance(a, int) and abs(a) > _LONG for a in args) and NO_BOUND not in args
    if function.looks_up or (long and name not in ("str.int", "repr.int", "chr")):
        return None
    given = (str.__str__(a) if isinstance(a, str) else a for a in args)
    try:
        return host_call(name, (), tuple(given))
    except InstanceError:
        return None
