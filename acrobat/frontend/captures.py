"""Which variables of a function its local functions read, and which they change."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from .syntax import changed_set, is_mutation, names_assigned, parameters, root_name

# Attributes of nodes. Of a call: the definition of the local function that it calls, if that
# changes something. Of such a definition: the variables that it assigns anew, and those that are
# only assigned anew; and the names that it, or a function that it mentions, reads and that are not
# its parameters.
CALLEE = "_acrobat_callee"
REBINDS = "_acrobat_rebinds"
ONLY_REBINDS = "_acrobat_only_rebinds"
READS = "_acrobat_reads"
LIFTED = "_acrobat_lifted_variables"  # those of the function around that are parameters now
# Methods that change a dict or a list, besides those of which `names_mutated` knows.
_MORE_MUTATING = ("popitem", "move_to_end")
# The names that a call changes, besides those that its syntax shows.
Changing = Callable[[ast.Call], Iterable[str]]


@dataclass(slots=True)
class Capture:
    """What a local function, with the functions inside it, does to variables of the functions
    around it: their names; and which of its own parameters it changes."""

    reads: set[str] = field(default_factory=set)
    changes: set[str] = field(default_factory=set)
    rebinds: set[str] = field(default_factory=set)  # those of `changes` that `nonlocal` declares
    in_place: set[str] = field(default_factory=set)  # those that it changes without assigning them
    given: set[str] = field(default_factory=set)


def own_nodes(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The nodes of statements, without those inside of local functions, whose definitions they
    include; lambdas are parts of the function around them."""
    work = list(body)
    while work:
        node = work.pop()
        yield node
        if isinstance(node, ast.FunctionDef):
            work += [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]
        else:
            work += ast.iter_child_nodes(node)


def nodes_that_see(tree: ast.FunctionDef, name: str) -> Iterator[ast.AST]:
    """The nodes of a function, and of the functions and lambdas inside it that have no variable
    `name` of their own."""
    work: list[ast.AST] = list(tree.body)
    while work:
        node = work.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.Lambda)) or not _binds(node, name):
            work += ast.iter_child_nodes(node)


def _binds(node: ast.FunctionDef | ast.Lambda, name: str) -> bool:
    if isinstance(node, ast.FunctionDef):
        return name in bound_names(node)
    return any(isinstance(n, ast.arg) and n.arg == name for n in ast.walk(node.args))


def users(tree: ast.FunctionDef, name: str) -> frozenset[str]:
    """The names of all functions inside `tree` if one of them uses its variable `name`."""
    own = {id(n) for n in own_nodes(tree.body)}
    inside = [n for n in nodes_that_see(tree, name) if id(n) not in own]
    if not any(isinstance(n, ast.Name) and n.id == name for n in inside):
        return frozenset()
    return frozenset(n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)) - {tree.name}


def bound_names(tree: ast.FunctionDef) -> set[str]:
    """The variables of a function: its parameters and what it assigns, but for `nonlocal` ones."""
    extra = (tree.args.vararg, tree.args.kwarg)
    own = names_assigned(tree.body) | {a.arg for a in (*parameters(tree), *extra) if a is not None}
    return own - rebound_names(tree)


def rebound_names(tree: ast.FunctionDef) -> set[str]:
    """The variables of the functions around `tree` that it declares `nonlocal`."""
    return {n for s in own_nodes(tree.body) if isinstance(s, ast.Nonlocal) for n in s.names}


def captured(tree: ast.FunctionDef, changing: Changing) -> Capture:
    """What the local function `tree` reads and changes of the functions around it."""
    found = Capture(rebinds=rebound_names(tree))
    found.changes |= found.rebinds
    for node in own_nodes(tree.body):
        if isinstance(node, ast.Name):
            found.reads.add(node.id)
        if isinstance(node, ast.Call):
            found.in_place |= set(changing(node))
        changed = _changed(node)
        if changed is not None:
            found.in_place.add(changed)
        if isinstance(node, ast.FunctionDef):
            inner = captured(node, changing)
            found.reads |= inner.reads
            found.changes |= inner.changes
            found.rebinds |= inner.rebinds
            found.in_place |= inner.in_place
    found.changes |= found.in_place
    own = bound_names(tree)
    found.given = found.changes & {p.arg for p in parameters(tree)} - names_assigned(tree.body)
    found.reads -= own
    found.changes -= own
    found.rebinds -= own
    found.in_place -= own
    return found


def _changed(node: ast.AST) -> str | None:
    """The name of the list or dict that `node` itself changes."""
    if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        return root_name(node)
    changed = changed_set(node)
    if changed is not None:
        return root_name(changed)
    match node:
        case ast.Call(ast.Attribute(owner, method)):
            return root_name(owner) if is_mutation(node) or method in _MORE_MUTATING else None
    return None
