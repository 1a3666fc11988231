"""Signatures of model functions, read when a call first mentions them."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, cast

from ..ir import typed as T
from ..ir.dims import Dim
from ..ir.host_functions import Lookup
from ..ir.names import Names
from ..ir.span import NOWHERE, Span
from ..ir.types import INT, TEXT, MemberType, Type
from ..lang.diagnostics import Diagnostic
from ..lang.hints import NameScope, UnknownName, function_scope, resolve_hint
from ..lang.model import Model
from . import syntax
from .assumptions import Assumptions
from .declarations import Declarations
from .diagnostics import Reporter
from .function_values import Closure, FunctionValue
from .inferred_hints import is_result_open
from .open_hints import leaves_open
from .open_results import OpenHint, without_open
from .parameters import NO_DEFAULT, Parameter, default_values, means_function, ways
from .read_hint import read_hint, report_missing_hint
from .scope import Binding, Size
from .source import Source, SourceMissing, first_line, read_source


@dataclass(frozen=True, slots=True)
class Signature:
    """A model function's name in the module, its source, its parameters and its result.

    `params` are the parameters that get a value when the program runs, with their types;
    `parameters`, those of the source, may be functions too. For a function that is lowered for a
    call (`constructs/closure_calls.py`), `bound` are names that are bound already, and `extra` are
    parameters that its source does not have; `result` may be None until it is inferred from the
    body. For one that is lowered for the sizes of a call, `dims` are what the dimension names in
    its hints stand for. `is_model`: it has `@ab.model`. `open_hint`: the hint of the result, if it
    is inferred because of sizes that the hint leaves open."""

    name: str
    model: Model[..., Any]
    source: Source
    params: tuple[tuple[str, Type | None], ...]
    result: Type | None
    parameters: tuple[Parameter, ...] = ()
    bound: Mapping[str, Binding] = field(default_factory=dict)
    extra: tuple[T.Var, ...] = ()
    inferred: bool = False
    dims: Mapping[str, Dim] = field(default_factory=dict)
    is_model: bool = True
    open_hint: OpenHint | None = None

    @property
    def takes_functions(self) -> bool:
        """Whether a parameter is a function, so that it is lowered for each call."""
        return any(p.function for p in self.parameters)


class ModuleBuilder:
    """A module that is being lowered. A call enters its callee into `queue`, so that mutual
    recursion needs no order."""

    def __init__(
        self,
        entry: Model[..., Any],
        params: Any,
        assumptions: Assumptions,
    ) -> None:
        """`params`: the weights, if they are known."""
        self.entry = entry
        self.reporter = Reporter()
        told = {**entry.told.fields, **assumptions.told}
        self.assumptions = replace(assumptions, told=told)
        self.declarations = Declarations(self.reporter, params, self.assumptions)
        # The size of every named dimension; empty if the module is lowered without weights.
        self.sizes: Mapping[str, int] = self.declarations.sizes.shared
        self.signatures: dict[int, Signature | None] = {}
        self.queue: list[Signature] = []
        self.demanded: set[str] = set()
        self.functions: dict[str, T.Function] = {}
        self.names = Names()
        # The hints of local names: location, name, type.
        self.hints: list[tuple[Span, str, Type]] = []
        # Functions that are lowered for a call, by what distinguishes them from each other; and
        # functions outside of the model, by their `id`.
        self.instances: dict[Any, Signature] = {}
        self.closures: dict[int, Closure] = {}
        # The functions that fields of objects are, and the types of such fields
        # (kept_functions.py).
        self.function_members: dict[Any, MemberType] = {}
        self.member_functions: dict[MemberType, FunctionValue] = {}
        # For a local function: how many of its versions are being lowered, each for a call in the
        # one before; and the argument types of a call for which this would not end.
        self.inside: Counter[int] = Counter()
        self.endless: dict[int, str] = {}
        # Which functions are being lowered; of those, which ones the function that is being lowered
        # has called; and which of them a function has called that was lowered meanwhile, by what
        # distinguishes it from others (assumed_results.py).
        self.unfinished: set[str] = set()
        self.assumes: set[str] = set()
        self.relies: dict[Any, set[str]] = {}
        # What functions with errors return elsewhere, and these errors (assumed_results.py).
        self.failed: dict[Any, tuple[Signature, tuple[Diagnostic, ...]]] = {}
        # Functions without a hint for their result: which have called themselves before it was
        # known (and how often that happened), and what these return on paths without errors.
        self.asked: set[str] = set()
        self.times_asked = 0
        # Whether the program may have arrays of rank 0, and the assignments, with what to write
        # instead, that are right if it has none (numpy_scalars.py).
        self.arrays_of_rank_0 = False
        self.taken_for_scalars: list[tuple[Span, str]] = []
        self.told: dict[str, Type] = {}
        self.known_results: dict[int, Type] = {}  # of functions that need no hint, by their tree
        # Which functions make the list that they return, on every path so far.
        self.fresh: dict[str, bool] = {}
        self.softmaxes: set[str] = set()  # functions that are the softmax of their parameter
        self.read: dict[Any, Any] = {}  # functions of the author's, once read (effects.py)
        # Which of its parameters a function changes, by the function's identity.
        self.changes: dict[int, tuple[str, ...]] = {}
        # Which parameters are sizes, and which name weights, by the tree.
        self.sizing: dict[int, frozenset[str]] = {}
        self.naming: dict[int, frozenset[str]] = {}
        self.lambdas: dict[int, ast.FunctionDef] = {}
        # Names that may be unassigned after a loop, by the loop's location; reads of such names
        # that have failed, and those of them that a second lowering has tried to allow
        # (unassigned.py).
        self.unassigned: dict[Span, set[str]] = {}
        self.missed: set[tuple[Span, str]] = set()
        self.tried: set[tuple[Span, str]] = set()
        # Lists and dicts that get items of another type than they begin with, by function, types of
        # its arguments and name: the type that they are to have (optional_items.py).
        self.optional_items: dict[tuple[int, Any, str], Type] = {}
        # Functions that take the fields of objects (constructs/local_objects.py).
        self.with_fields: dict[Any, Any] = {}
        # The plain class of what a function returns, by its `id`.
        self.makes: dict[int, type | None] = {}
        # Which fields of objects functions change, by function and classes
        # (constructs/field_changes.py).
        self.field_changes: dict[Any, set[tuple[str, str]]] = {}
        # Fields that are tensors and change in place, `self.h += x`, and those that something else
        # may refer to, too; as (class, field).
        self.changed_in_place: set[tuple[type, str]] = set()
        self.shared_fields: set[tuple[type, str]] = set()
        # Such fields in which numbers are stored that are not whole, and those that may be arrays
        # of ints.
        self.float_fields: set[tuple[type, str]] = set()
        self.int_fields: set[tuple[type, str]] = set()
        # Which functions make the arrays that they return, by identity (constructs/new_results.py).
        self.new_results: dict[int, bool] = {}
        # By the name of a function that returns a record, or of an `__init__`: the record's fields
        # that are lists which nothing else refers to; None if something else may refer to the
        # record.
        self.fresh_fields: dict[str, frozenset[str] | None] = {}
        # The strings that the model mentions.
        self.texts: dict[str, T.Text] = {}
        # Where a value becomes a string, its type, and how (constructs/string_building.py).
        self.shown: list[tuple[Span, Type, Callable[[object], str]]] = []
        # Where it reads an attribute of an int or a string that is a member of an enumeration, its
        # type, the name, and what each member has (constructs/scalar_members.py).
        self.attributes: list[tuple[Span, Type, str, dict[int | str, Any]]] = []
        # The large dicts and sets of the module that it looks keys up in, by identity, in order.
        self.lookups: dict[int, tuple[object, Lookup]] = {}
        # Functions that dispatch a method's calls by class, with the source that they are placed
        # in.
        self.class_methods: dict[tuple[Any, type], Any] = {}
        self.dispatchers: dict[Any, tuple[ast.FunctionDef, Source]] = {}
        # The source of the entry function, if it has been rewritten as a whole (numbered_objects).
        self.rewritten: Source | None = None
        self.numbered_fields: frozenset[str] = frozenset()
        self.lower: Callable[[ModuleBuilder, Signature], T.Function | None]

    def number(self, size: Size) -> T.Const | Size:
        """A size as an int constant, if its number is known; else as it is."""
        known = size.dim.bind(self.sizes).known
        return size if known is None else T.Const(known, INT)

    def text(self, value: str) -> T.Const:
        """A string as a constant."""
        exact = str.__str__(value)
        if exact not in self.texts:
            text = self.texts[exact] = T.Text(exact)
            text.number = len(self.texts) - 1
        return T.Const(cast(Any, self.texts[exact]), TEXT)

    def signature(self, model: Model[..., Any], use: Span) -> Signature | None:
        """The signature of `model`; None, with an error (at `use`), if its source is not
        available."""
        if model is self.entry.written and self.rewritten is None:
            model = self.entry
        if id(model) in self.signatures:
            return self.signatures[id(model)]
        self.signatures[id(model)] = None
        name = model.function.__name__
        try:
            whole = self.rewritten if model is self.entry else None
            source = whole or read_source(model)
        except SourceMissing as error:
            self.reporter.error(
                "AC028",
                first_line(model) if use == NOWHERE else use,
                f"the source of {name} is not available ({error})",
                error.instead,
            )
            return None
        scope = function_scope(model.function, model.around())
        # Instances consist of objects that the author's code makes.
        self.declarations.adopts = model is self.entry
        result = self._signature(self.names.free(name), model, source, scope)
        self.declarations.adopts = False
        self.signatures[id(model)] = result
        return result

    def demand(self, signature: Signature) -> None:
        """Have a function lowered, unless that has been demanded before."""
        if signature.name not in self.demanded:
            self.demanded.add(signature.name)
            self.queue.append(signature)

    def _signature(
        self, unique: str, model: Model[..., Any], source: Source, scope: NameScope
    ) -> Signature:
        hints = model.hints
        arguments = source.tree.args
        for extra in (arguments.vararg, arguments.kwarg):
            if extra is not None:
                self.reporter.error(
                    "AC001",
                    source.span(extra),
                    f"{model.function.__name__} takes a variable number of arguments",
                    "name each argument, with its type",
                )
        parameters: list[Parameter] = []
        how, defaults = ways(source.tree), default_values(model.function, source.tree)
        for arg in syntax.parameters(source.tree):
            span, name = source.span(arg), arg.arg
            if name not in hints:
                method = name == "self" and not parameters
                function = model.function.__name__
                report_missing_hint(self.reporter, span, name, function, method)
                parameters.append(Parameter(name, None))
                continue
            evaluate = partial(resolve_hint, hints[name], scope)
            default = defaults.get(name, NO_DEFAULT)
            if means_function(evaluate):
                parameters.append(Parameter(name, None, default, *how[name], function=True))
                continue
            read = read_hint(f"the hint of {name!r}", evaluate, self.declarations, span)
            read = self.declarations.numbered(read, partial(_number_of, scope))
            parameters.append(Parameter(name, read, default, *how[name]))
        result: Type | None = None
        # Only the entry gets here without that hint: other functions are then lowered for a call.
        inferred = "return" not in hints or self._leaves_open(hints["return"], scope)
        if not inferred:
            result = read_hint(
                "the result hint",
                partial(resolve_hint, hints["return"], scope),
                self.declarations,
                source.span(source.tree.returns) if source.tree.returns else source.head(),
            )
        result = self.declarations.numbered(result, partial(_number_of, scope))
        params = tuple((p.name, p.type) for p in parameters if not p.function)
        result, open_hint = without_open(self.declarations, result, [t for _, t in params])
        return Signature(
            unique,
            model,
            source,
            params,
            result,
            tuple(parameters),
            inferred=inferred or open_hint is not None,
            open_hint=open_hint,
        )

    def _leaves_open(self, result: Any, scope: NameScope) -> bool:
        """Whether only the values that a model returns say what its result consists of."""
        if leaves_open(result, self.declarations.floats_open):
            return True
        try:
            hint = resolve_hint(result, scope)
        except Exception:  # the author's expression may raise anything; reading the hint reports it
            return False
        return is_result_open(self.declarations, hint)


def _number_of(scope: NameScope, name: str) -> Any:
    """What a name stands for outside of a function; None if it is not known."""
    try:
        return scope[name]
    except UnknownName:
        return None
