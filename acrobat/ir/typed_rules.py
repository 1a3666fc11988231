"""Typing rules of the right-hand sides of the typed IR: `wrong_rhs` for the verifier."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from . import typed as T
from .dims import Dim
from .host_functions import HOST_FUNCTIONS
from .mathematics import MATH, result_of
from .ops import OPS, ShapeError
from .subtypes import is_subtype
from .type_maps import unmasked
from .types import (
    BOOL,
    FLOAT,
    INT,
    TEXT,
    DataRef,
    ListType,
    MemberType,
    ParamsRef,
    TensorType,
    TupleType,
    Type,
    UnionType,
)

_NUMBERS = (INT, FLOAT)


def _widest(args: Sequence[Type]) -> Type:
    return FLOAT if FLOAT in args else INT


# Operation -> how many operands (None: two or more), and the result's type from theirs.
_SCALARS: dict[str, tuple[int | None, Callable[[Sequence[Type]], Type]]] = {
    **dict.fromkeys(("+", "-", "*", "//", "%"), (2, _widest)),
    **dict.fromkeys(("min", "max"), (None, _widest)),
    **dict.fromkeys(("neg", "abs"), (1, _widest)),
    **dict.fromkeys(("<", "<=", ">", ">=", "==", "!="), (2, lambda args: BOOL)),
    **dict.fromkeys(("range_length", "range_item"), (3, lambda args: INT)),
    **dict.fromkeys(("&", "|", "^", "<<", ">>"), (2, lambda args: INT)),
    "invert": (1, lambda args: INT),
    "**": (2, _widest),
    "/": (2, lambda args: FLOAT),
    "int": (1, lambda args: INT),
    "float": (1, lambda args: FLOAT),
}
_WHOLE = ("&", "|", "^", "<<", ">>", "invert")
_TRUTH = {"and": 2, "or": 2, "not": 1}


def wrong_rhs(module: T.Module, outs: tuple[T.Var, ...], rhs: T.Rhs) -> str | None:
    """What is wrong with `outs = rhs`, or None. Calls are checked by the verifier itself."""
    if isinstance(rhs, T.NextPhase):
        return "a phase with outs" if outs else None
    if len(outs) != 1:
        return f"{len(outs)} outs for one value"
    out = outs[0].type
    match rhs:
        case T.Op():
            return _op(out, rhs)
        case T.Scalar(op, args):
            return _scalar(out, op, [a.type for a in args])
        case T.ParamRead(params, field):
            if not isinstance(params.type, ParamsRef):
                return f"a weight of a {params.type}"
            return _field(out, dict(module.params[params.type.name].fields), field)
        case T.GetField(obj, field):
            if not isinstance(obj.type, DataRef):
                return f"a field of a {obj.type}"
            return _field(out, dict(module.datas[obj.type.name].fields), field)
        case T.Weight():
            return None if isinstance(out, TensorType) else f"a weight of type {out}"
        case T.Construct(data, args):
            if data not in module.datas:
                return f"no such data type: {data}"
            wanted = [t for _, t in module.datas[data].fields]
            if out != DataRef(data):
                return f"constructs {data} into {out}"
            return _fit([a.type for a in args], wanted)
        case T.MakeTuple(items):
            types = [i.type for i in items]
            return _fit(types, list(out.items)) if isinstance(out, TupleType) else f"not {out}"
        case T.GetItem(obj, index):
            if not isinstance(obj.type, TupleType) or not 0 <= index < len(obj.type.items):
                return f"no item {index} of a {obj.type}"
            return _fit([obj.type.items[index]], [out])
        case T.ListOp(op, args):
            return _list(out, op, [a.type for a in args])
        case T.Read(tensor):
            if not isinstance(tensor.type, TensorType):
                return f"reads a {tensor.type}"
            if any(d != Dim.of(1) for d in tensor.type.dims):
                return f"reads more than one element: {tensor.type}"
            return None if out in _NUMBERS else f"reads into a {out}"
        case T.Narrow(obj):
            # An inlined function may narrow what its caller knows to be of one data type.
            if isinstance(obj.type, DataRef) and isinstance(out, (DataRef, UnionType)):
                return None
            return _fit([out], [obj.type])
        case _:
            return None


def _fit(found: Sequence[Type], wanted: Sequence[Type]) -> str | None:
    if len(found) != len(wanted):
        return f"{len(found)} values for {len(wanted)}"
    for a, b in zip(found, wanted, strict=True):
        if not is_subtype(a, b):
            return f"{a} where {b} is wanted"
    return None


def _field(out: Type, fields: dict[str, Type], name: str) -> str | None:
    if name not in fields:
        return f"no field {name}"
    return None if fields[name] == out else f"the field is {fields[name]}, the variable {out}"


def _op(out: Type, op: T.Op) -> str | None:
    if op.name not in OPS:
        return f"no such operation: {op.name}"
    try:
        t = OPS[op.name].result([unmasked(a.type) for a in op.args], dict(op.attrs))
    except ShapeError as error:
        return str(error)
    except (KeyError, IndexError) as error:
        return f"an attribute or an operand is missing: {error}"
    return None if t == unmasked(out) else f"the rule gives {t}, the variable has {out}"


def _scalar(out: Type, op: str, args: list[Type]) -> str | None:
    text = f"{op} of {', '.join(map(str, args))} into {out}"
    if op in HOST_FUNCTIONS:
        host = HOST_FUNCTIONS[op]
        return None if (args, out) == ([*host.args], host.result) else text
    if op == "is_none":
        data = len(args) == 1 and isinstance(args[0], (DataRef, UnionType))
        return None if data and out == BOOL else text
    if op in _TRUTH:
        good = len(args) == _TRUTH[op] and {out, *args} == {BOOL}
        return None if good else text
    if op.startswith("math."):
        good = len(args) == MATH.get(op[5:]) and {FLOAT, *args} == {FLOAT}
        return None if good and out == result_of(op[5:]) else text
    if op == "round":
        good = (args, out) in (([FLOAT], INT), ([FLOAT, INT], FLOAT))
        return None if good else text
    if op not in _SCALARS:
        return f"no such operation on numbers: {op}"
    count, result = _SCALARS[op]
    if op in ("int", "float") and args == [BOOL]:
        return None if out == result(args) else text
    if op in _WHOLE and args != [INT] * len(args):
        return text
    compared = result([INT]) == BOOL and args == [BOOL, BOOL]
    compared = compared or (op == "==" and args == [TEXT, TEXT])
    if op == "int" and isinstance(args[0], MemberType):
        return None if out == INT and len(args) == 1 else text
    if op == "==" and isinstance(args[0], MemberType):
        return None if out == BOOL and args[1:] == args[:1] else text
    if not compared and not all(a in _NUMBERS for a in args):
        return text
    if len(args) != count and not (count is None and len(args) >= 2):
        return text
    return None if result(args) == out else text


def _list(out: Type, op: str, args: list[Type]) -> str | None:
    text = f"list {op} of {', '.join(map(str, args))} into {out}"
    lists = [a for a in args if isinstance(a, ListType)]
    if op in ("len", "get"):
        if len(lists) != 1 or args[0] != lists[0] or args[1:] != ([INT] if op == "get" else []):
            return text
        return _fit([INT if op == "len" else lists[0].item], [out])
    if op == "get_or":
        return _fit(args, [ListType(out), INT, out])
    if op == "find":
        half = len(args) // 2
        if not half or len(lists) != half or len(args) != 2 * half or args[:half] != lists:
            return text
        return _fit([INT, *args[half:]], [out, *(a.item for a in lists)])
    if not isinstance(out, ListType):
        return text
    match op:
        case "make":
            return _fit(args, [out.item] * len(args))
        case "append":
            return _fit(args, [out, out.item])
        case "concat":
            return _fit(args, [out, out])
        case "slice":
            return _fit(args, [out, INT, INT])
        case "reverse":
            return _fit(args, [out])
        case "flatten":
            return _fit(args, [ListType(out)])
        case "remove":
            return _fit(args, [out, INT])
        case "set":
            return _fit(args, [out, INT, out.item])
        case "sort":
            return _fit(args, [out]) if out.item in _NUMBERS else text
        case "order":
            good = len(args) == len(lists) == 1 and lists[0].item in (*_NUMBERS, TEXT)
            return _fit([ListType(INT)], [out]) if good else text
    return f"no such operation on lists: {op}"
