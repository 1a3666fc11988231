"""A function's own `defaultdict(list)`, `defaultdict(int)` and `Counter`, rewritten as plain dicts.

Each access then states the default itself: `d[k].append(x)` becomes
`d.setdefault(k, []).append(x)`. This is done if the name stands for nothing else and the dict is
not passed on, to code for which a missing key would be an error; other uses are left as they are,
and refused.
"""

from __future__ import annotations

import ast
import collections
from dataclasses import dataclass, field

from .captures import nodes_that_see, own_nodes, users
from .constructs.leaving_dicts import leaving, only_read
from .context import FunctionContext
from .plain_dicts import Made, Rewriting
from .scope import Env
from .stand_ins import counted, most_common
from .syntax import names_assigned, names_in, parameters, parents_of
from .written import call, placed, replaced

_DEFAULTS = {list: "[]", dict: "{}", int: "0", float: "0.0", bool: "False"}
_METHODS = ("items", "keys", "values", "get", "pop", "setdefault", "clear")
# Those of them that do not reveal which keys there are.
_BLIND = ("get", "setdefault")
_FUNCTIONS = (len, sorted, max, min, list, dict, enumerate, reversed, set)


def with_plain_dicts(ctx: FunctionContext, tree: ast.FunctionDef) -> None:
    """Rewrite the function to use plain dicts instead."""
    _WithoutName(ctx).visit(tree)
    made: dict[str, list[Made]] = {}
    for node in ast.walk(tree):
        found = _made(ctx, node)
        if found is not None:
            made.setdefault(found.name, []).append(found)
    for name, values in made.items():
        parents = parents_of(tree)
        uses = _Uses(ctx, tree, name, values, parents)
        if len({(v.default, v.counts, v.inner) for v in values}) > 1:
            continue
        use = uses.not_allowed()
        if use is None:
            ctx.defaults.add(name)
            for mention in uses.leaving:
                replaced(parents[id(mention)], mention, leaving(mention, values[0].counts))
            Rewriting(values[0], uses.tells_keys, users(tree, name)).rewrite(tree)
        else:
            ctx.given_away.update((id(v.call), use) for v in values)


@dataclass(slots=True)
class _WithoutName(ast.NodeTransformer):
    """Counters without a name: `Counter(xs).most_common(3)`, `Counter(xs).items()`."""

    ctx: FunctionContext

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A method of `Counter(xs)`."""
        self.generic_visit(node)
        match node:
            case ast.Call(ast.Attribute(ast.Call(func, [source], []) as made, method), args, []):
                pass
            case _:
                return node
        if self.ctx.static(func, Env()) is not collections.Counter:
            return node
        items = placed(ast.Call(ast.Name("list", ast.Load()), [source], []), made)
        if method == "most_common":
            ordered: ast.expr = call(most_common, items)
            if args:
                least = ast.Call(ast.Name("max", ast.Load()), [*args, ast.Constant(0)], [])
                ordered = ast.Subscript(ordered, ast.Slice(None, least), ast.Load())
            return placed(ordered, node)
        if method in ("items", "keys", "values", "get"):
            node.func.value = placed(call(counted, items), made)  # type: ignore
        return node


def _made(ctx: FunctionContext, node: ast.AST) -> Made | None:
    match node:
        case ast.Assign([ast.Name(name)], ast.Call(func, args, []) as call):
            pass
        case ast.AnnAssign(ast.Name(name), _, ast.Call(func, args, []) as call):
            pass
        case _:
            return None
    kind = ctx.static(func, Env())
    if kind is collections.Counter and len(args) < 2:
        return Made(name, "0", True, call)
    if kind is collections.defaultdict and len(args) == 1:
        inner = _inner_factory(ctx, args[0])
        if inner is not None:
            of_items = _default(ctx, inner)
            # Defaults of the inner dicts that are lists or dicts themselves would be a level more.
            known = of_items not in (None, "[]", "{}")
            return Made(name, "{}", False, call, of_items) if known else None
        default = _default(ctx, args[0])
        return None if default is None else Made(name, default, False, call)
    return None


def _inner_factory(ctx: FunctionContext, factory: ast.expr) -> ast.expr | None:
    """`int` of `lambda: defaultdict(int)`; None for other factories."""
    match factory:
        case ast.Lambda(ast.arguments([], [], None, [], [], None, []), ast.Call(func, [inner], [])):
            if ctx.static(func, Env()) is collections.defaultdict:
                return inner
    return None


def _default(ctx: FunctionContext, factory: ast.expr) -> str | None:
    """What the factory makes, as source; None if that is neither a number, a tuple of numbers nor
    an empty list or dict."""
    match factory:
        case ast.Lambda(ast.arguments([], [], None, [], [], None, []), body):
            text = ast.unparse(body)
            return text if _plain(ctx, body) or text in ("[]", "{}") else None
    return _DEFAULTS.get(ctx.static(factory, Env()))


def _plain(ctx: FunctionContext, node: ast.expr) -> bool:
    match node:
        case ast.Tuple(parts):
            return all(_plain(ctx, p) for p in parts)
        case ast.UnaryOp(_, operand):
            return _plain(ctx, operand)
        case ast.Name() | ast.Attribute():
            tree = ctx.source.tree
            local = names_assigned(tree.body) | {p.arg for p in parameters(tree)}
            number = isinstance(ctx.static(node, Env()), (int, float))
            return number and not names_in(node) & local
        case ast.Constant(int() | float()):
            return True
        case ast.Call(ast.Name("float"), [ast.Constant(str())], []):
            return True
    return False


@dataclass(slots=True)
class _Uses:
    """Where a function uses such a dict; `tells_keys`: something depends on which keys it has."""

    ctx: FunctionContext
    tree: ast.FunctionDef
    name: str
    made: list[Made]
    parents: dict[int, ast.AST]
    tells_keys: bool = False
    inside: set[int] = field(default_factory=set)  # the nodes in local functions, by `id`
    leaving: list[ast.Name] = field(default_factory=list)  # mentions that give it away, to be read

    def not_allowed(self) -> ast.AST | None:
        """A use that cannot be rewritten for a plain dict; None if there is none."""
        arguments = self.tree.args
        for argument in (*arguments.args, *arguments.kwonlyargs):
            if argument.arg == self.name:
                return argument
        seen = {id(n) for n in nodes_that_see(self.tree, self.name)}
        self.inside = seen - {id(n) for n in own_nodes(self.tree.body)}
        for node in ast.walk(self.tree):
            if node is self.tree:
                continue  # a function may be called like a variable of its own
            if _names(node, self.name) and not (
                id(node) in seen and isinstance(node, ast.Name) and self._allows(node)
            ):
                parent = self.parents[id(node)]
                return parent if isinstance(node, ast.Name) else node
        return None

    @property
    def _is_entry(self) -> bool:
        return self.ctx.builder.entry is self.ctx.signature.model

    def _allows(self, node: ast.Name) -> bool:
        parent = self.parents[id(node)]
        counts = self.made[0].counts
        match parent:
            case ast.Assign(value=value) | ast.AnnAssign(value=value) if node is not value:
                return any(m.call is value for m in self.made)
            case ast.Subscript(value=value, slice=at) if value is node:
                whole = self.parents[id(parent)]
                if self.made[0].default == "{}" and not self._allows_dict(parent, whole):
                    return False
                repeats = (
                    isinstance(whole, ast.AugAssign)
                    and whole.target is parent
                    and self.made[0].default == "[]"
                    and not isinstance(whole.op, ast.Add)
                )
                # `del` of a key that a Counter does not have does nothing.
                forgives = counts and isinstance(parent.ctx, ast.Del)
                return not isinstance(at, ast.Slice) and not repeats and not forgives
            case ast.Attribute(attr="items" | "values") if self.made[0].inner and self._names_inner(
                parent
            ):
                return False
            case ast.Attribute(attr=attr):
                self.tells_keys |= attr not in _BLIND
                called = self.parents[id(parent)]
                known = (*_METHODS, *(("most_common", "total") if counts else ()))
                return attr in known and isinstance(called, ast.Call) and called.func is parent
        self.tells_keys = True
        match parent:
            case ast.Compare(_, [ast.In() | ast.NotIn()], [right]):
                return right is node
            case ast.For(iter=value) | ast.comprehension(iter=value):
                return value is node
            case ast.If(test=value) | ast.While(test=value) | ast.IfExp(test=value):
                return value is node
            case ast.UnaryOp(ast.Not()):
                return True
            case ast.Call(func, [argument]) if self.ctx.static(func, Env()) in _FUNCTIONS:
                return argument is node
            case ast.Call() if parent.func is not node and only_read(self.ctx, parent, node):
                return self._leaves(node)
            case ast.Return() if id(node) not in self.inside:
                return self._is_entry or self._leaves(node)
            case ast.Tuple() if isinstance(self.parents[id(parent)], ast.Return):
                return id(node) not in self.inside and (self._is_entry or self._leaves(node))
        return False

    def _leaves(self, node: ast.Name) -> bool:
        # Defaults that are dicts with defaults themselves would be lost.
        if self.made[0].inner is None:
            self.leaving.append(node)
        return self.made[0].inner is None

    def _allows_dict(self, item: ast.Subscript, whole: ast.AST) -> bool:
        """Whether `item`, a dict in this one, may be used like this."""
        made = self.made[0]
        match whole:
            case ast.Subscript(value=value) if value is item:
                return True
            case ast.Assign(targets=targets) if item in targets:
                return made.inner is None
            case ast.AugAssign():
                return False
        self.tells_keys = True
        return made.inner is None or isinstance(item.ctx, ast.Del) or self._only_read(item, whole)

    def _only_read(self, row: ast.expr, parent: ast.AST) -> bool:
        """Whether a dict with defaults, `row`, is used in a way that needs none of them."""
        match parent:
            case ast.Attribute(attr=attr):
                return attr in ("items", "keys", "values", "get")
            case ast.Compare(_, [ast.In() | ast.NotIn()], [right]):
                return right is row
            case ast.For(iter=value) | ast.comprehension(iter=value):
                return value is row
            case ast.Call(func, [argument]):
                return argument is row and self.ctx.static(func, Env()) in (len, sorted, list)
        return False

    def _names_inner(self, view: ast.Attribute) -> bool:
        """Whether `d.items()` or `d.values()` gives names to the dicts in this one under which
        their defaults could be needed."""
        match self.parents[id(self.parents[id(view)])]:
            case ast.For(target=target) | ast.comprehension(target=target):
                pass
            case _:
                return True
        if view.attr == "items" and isinstance(target, ast.Tuple) and len(target.elts) == 2:
            target = target.elts[1]
        if not isinstance(target, ast.Name):
            return True
        named = [n for n in ast.walk(self.tree) if _names(n, target.id)]
        reads = [n for n in named if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
        return not all(self._only_read(n, self.parents[id(n)]) for n in reads)


def _names(node: ast.AST, name: str) -> bool:
    """Whether `node` is the name, or binds it in a pattern or by `def`."""
    return name in (getattr(node, "id", None), getattr(node, "name", None))
