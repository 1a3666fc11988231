"""Dicts as records, `state = {"h": h, "n": 0}`: each key is a local variable.

    state = {"h": p.b, "n": 0}         'h' of state = p.b; 'n' of state = 0
    state["n"] += 1              ->    'n' of state += 1
    return state["h"]                  return 'h' of state

This is done if the keys are written out wherever the dict is mentioned, or it is returned, if the
dict has no other name, and if every key surely is there. Other dicts are left as they are.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from .captures import nodes_that_see, own_nodes
from .context import FunctionContext
from .scope import Env
from .syntax import named_values, names_in, parameters, parents_of
from .written import placed

_Fields = list[tuple[str, ast.expr]]


def with_record_dicts(ctx: FunctionContext, tree: ast.FunctionDef) -> None:
    """Rewrite such dicts of a function, and of the functions inside it."""
    for function in [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]:
        made: dict[str, dict[int, _Fields]] = {}
        for node in own_nodes(function.body):
            for name, value in named_values(node):
                fields = _fields(ctx, value)
                if fields is not None:
                    made.setdefault(name, {})[id(value)] = fields
        for name, displays in made.items():
            record = _Record(ctx, function, name, displays)
            if record.is_rewritable():
                _AsNames(record, {id(n) for n in nodes_that_see(function, name)}).visit(function)


def _fields(ctx: FunctionContext, node: ast.expr) -> _Fields | None:
    """The keys and values of `{"h": h}`, `dict(h=h)`; None if they are not all written out."""
    match node:
        case ast.Dict(keys, values):
            names = [k.value for k in keys if isinstance(k, ast.Constant)]
        case ast.Call(func, [], keywords) if ctx.static(func, Env()) is dict:
            names, values = [k.arg for k in keywords], [k.value for k in keywords]
        case _:
            return None
    texts = [n for n in names if isinstance(n, str) and n.isidentifier()]
    found = list(zip(texts, values, strict=False))
    return found if len({n for n, _ in found}) == len(values) else None


@dataclass(slots=True)
class _Record:
    """A name of a function that stands for such a dict. `displays` are the fields of the
    expressions that make it."""

    ctx: FunctionContext
    tree: ast.FunctionDef
    name: str
    displays: dict[int, _Fields]
    keys: dict[str, None] = field(default_factory=dict)  # in order
    parents: dict[int, ast.AST] = field(default_factory=dict)

    def is_rewritable(self) -> bool:
        """Whether every mention is known, and every key is there wherever it is read."""
        keys = [{k for k, _ in fields} for fields in self.displays.values()]
        if any(k != keys[0] for k in keys) or self._is_parameter():
            return False
        first = next(iter(self.displays.values()))
        self.keys = dict.fromkeys(k for k, _ in first)
        self.keys |= self._added() if len(keys) == 1 else {}
        self.parents = parents_of(self.tree)
        for node in nodes_that_see(self.tree, self.name):
            if isinstance(node, ast.Name):
                if node.id == self.name and not self._allows(node):
                    return False
            elif self.name in (getattr(node, "name", None), *getattr(node, "names", ())):
                return False  # a function, a pattern, `global`
        return True

    def _is_parameter(self) -> bool:
        """Whether the name is a parameter, or in the default of one of a function inside, where
        it may mean this dict although that function has another variable of the name."""
        functions = [n for n in ast.walk(self.tree) if isinstance(n, (ast.FunctionDef, ast.Lambda))]
        given = [d for f in functions for d in (*f.args.defaults, *f.args.kw_defaults) if d]
        return any(p.arg == self.name for p in parameters(self.tree)) or any(
            isinstance(n, ast.Name) and n.id == self.name for d in given for n in ast.walk(d)
        )

    def _added(self) -> dict[str, None]:
        """The keys that statements at the outermost level store before anything else can read them:
        their text occurs nowhere between the display and the store."""
        added: dict[str, None] = {}
        seen: set[str] | None = None
        for stmt in self.tree.body:
            constants = (n.value for n in ast.walk(stmt) if isinstance(n, ast.Constant))
            texts = {v for v in constants if isinstance(v, str)}
            match stmt:
                case ast.Assign([ast.Name(self.name)], _) | ast.AnnAssign(ast.Name(self.name)):
                    seen = texts if seen is None else seen
                case ast.Assign([ast.Subscript(ast.Name(self.name), ast.Constant(str(key)))], _):
                    if seen is not None and key not in seen and _once(stmt, key):
                        added[key] = None
            if seen is not None:
                seen |= texts
        return added

    def _allows(self, node: ast.Name) -> bool:
        parent = self.parents[id(node)]
        match parent:
            case ast.Assign([target], value) | ast.AnnAssign(target, _, value):
                return target is node and id(value) in self.displays
            case ast.Subscript(value, ast.Constant(str(key)), context):
                if value is not node or key not in self.keys:
                    return False
                return isinstance(context, ast.Load) or self._is_stored(parent)
            case ast.Compare(ast.Constant(str()), [ast.In() | ast.NotIn()], [right]):
                return right is node
            case ast.Return():
                return self._is_complete_at(parent)
        return False

    def _is_complete_at(self, node: ast.Return) -> bool:
        """Whether all keys are there, in order, where this function returns the dict."""
        if any(list(self.keys)[: len(f)] != [k for k, _ in f] for f in self.displays.values()):
            return False
        if len(self.keys) == len(next(iter(self.displays.values()))):
            return node in own_nodes(self.tree.body)
        return node is self.tree.body[-1]  # behind all statements that add keys

    def _is_stored(self, node: ast.AST) -> bool:
        """Whether `node` is the target of an assignment, or a part of one."""
        parent = self.parents[id(node)]
        if isinstance(parent, (ast.Tuple, ast.List, ast.Starred)):
            return self._is_stored(parent)
        return isinstance(parent, (ast.Assign, ast.AugAssign))


def _once(stmt: ast.stmt, key: str) -> bool:
    return sum(isinstance(n, ast.Constant) and n.value == key for n in ast.walk(stmt)) == 1


@dataclass(slots=True)
class _AsNames(ast.NodeTransformer):
    record: _Record
    seen: set[int]  # the nodes where the name stands for the dict

    def _is_record(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id == self.record.name and id(node) in self.seen

    def _variable(self, key: str, context: ast.expr_context) -> ast.Name:
        return ast.Name(f"{key!r} of {self.record.name}", context)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """A function inside, which may store fields."""
        self.generic_visit(node)
        variables = {self._variable(k, ast.Store()).id for k in self.record.keys}
        stored = [n for n in own_nodes(node.body) if isinstance(n, ast.Name) and n.id in variables]
        names = {n.id for n in stored if isinstance(n.ctx, ast.Store)}
        if node is not self.record.tree and names:
            node.body.insert(0, placed(ast.Nonlocal(sorted(names)), node))
        return node

    def visit_Assign(self, node: ast.Assign | ast.AnnAssign) -> ast.AST | list[ast.stmt]:
        """`state = {"h": h, "n": 0}`."""
        fields = self.record.displays.get(id(node.value))
        self.generic_visit(node)
        target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
        if fields is None or not self._is_record(target):
            return node
        match node.value:
            case ast.Dict(_, values):
                pass
            case ast.Call(keywords=keywords):
                values = [k.value for k in keywords]
        pairs = [(k, v) for (k, _), v in zip(fields, values, strict=True)]
        found: list[ast.stmt] = []
        last: list[ast.stmt] = []
        for i, (key, value) in enumerate(pairs):
            variable = self._variable(key, ast.Store())
            if any(variable.id in names_in(v) for _, v in pairs[i + 1 :]):
                new = ast.Name(f"a new {variable.id}", ast.Load())
                last.append(ast.Assign([variable], new))
                variable = ast.Name(new.id, ast.Store())
            found.append(ast.Assign([variable], value))
        return [placed(s, node) for s in (*found, *last)] or [placed(ast.Pass(), node)]

    visit_AnnAssign = visit_Assign  # noqa: N815

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """`state["h"]`."""
        if self._is_record(node.value) and isinstance(node.slice, ast.Constant):
            return placed(self._variable(str(node.slice.value), node.ctx), node)
        return self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> ast.AST:
        """`return state`."""
        if node.value is not None and self._is_record(node.value):
            values: list[ast.expr] = [self._variable(k, ast.Load()) for k in self.record.keys]
            keys: list[ast.expr | None] = [ast.Constant(k) for k in self.record.keys]
            node.value = placed(ast.Dict(keys, values), node.value)
            return node
        return self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """`"h" in state`."""
        match node:
            case ast.Compare(ast.Constant(key), [op], [right]) if self._is_record(right):
                there = key in self.record.keys
                return placed(ast.Constant(there is isinstance(op, ast.In)), node)
        return self.generic_visit(node)
