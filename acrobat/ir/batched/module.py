"""Functions of the batched IR, and a program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..host_functions import Lookup
from ..span import NOWHERE, Span
from ..typed import (
    DataDef,
    Var,
)
from ..types import TensorType, Type
from .blocks import Block
from .statements import Region


@dataclass(frozen=True, slots=True)
class Function:
    """No parameter is of params type any more: weights are read inside blocks."""

    name: str
    params: tuple[Var, ...]
    results: tuple[Type, ...]
    body: Region
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Module:
    """`instance` are the types of the entry's parameters, `arguments` those that were declared:
    what one instance consists of (one type: the instance itself; several: a tuple of them). If one
    of these contains tuples, several parameters are parts of it. `result` is the declared result
    type. `texts`, `lookups` and `with_matrices` are those of the typed module. `weights` gives the
    type of every weight path that a block reads. `blocks` begin with those that are hoisted: among
    the nodes of one depth they run first."""

    datas: Mapping[str, DataDef]
    functions: Mapping[str, Function]
    entry: str
    instance: tuple[Type, ...]
    result: Type
    blocks: tuple[Block, ...]
    weights: Mapping[str, TensorType]
    arguments: tuple[Type, ...] = ()
    texts: tuple[str, ...] = ()
    lookups: tuple[Lookup, ...] = ()
    with_matrices: Type | None = None
