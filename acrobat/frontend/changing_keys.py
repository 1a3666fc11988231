"""Functions that change something, as arguments of Python's functions, written as comprehensions:
they are called for one item after the other, in order, as there.

    sorted(xs, key=cursor.read)    ->    [k[1] for k in sorted([(cursor.read(x), x) for x in [*xs]],
                                                               key=lambda k: k[0])]
    filter(cursor.read, xs)        ->    [x for x in xs if cursor.read(x)]
    map(lambda x: s.pop() * x, xs) ->    [s.pop() * x for x in xs]

`lazy_effects` has looked at iterators whose items something else computes or uses meanwhile. A
function that is left as it is changes nothing for the function around it: `out_parameters` refuses
it if it would.
"""

from __future__ import annotations

import ast
import heapq

from .context import FunctionContext
from .effect_paths import overlap, path_of
from .effects import EffectFinder, Effects
from .scope import Env
from .stand_ins import STAND_INS
from .syntax import makes_list, names_bound
from .written import call, copied, placed

# What asks for all items before it does anything with them, or does nothing that a function sees;
# methods that do.
_WHOLE = (list, tuple, set, frozenset, dict, sum, sorted, max, min)
_METHODS = ("join", "extend", "update")
# What has all items before a loop over it begins.
_AT_ONCE = (list, tuple, set, frozenset, sorted, range, len, sum)


def with_changing_keys(ctx: FunctionContext, tree: ast.FunctionDef) -> None:
    """Rewrite such functions in a function and those inside it; raises Recover where one changes
    what its items are from."""
    keys = _Keys(ctx, EffectFinder(tree, ctx.scope, ctx.builder.read))
    tree.body = [keys.visit(stmt) for stmt in tree.body]


class _Keys(ast.NodeTransformer):
    def __init__(self, ctx: FunctionContext, finder: EffectFinder) -> None:
        self.ctx, self.finder = ctx, finder

    def _means(self, node: ast.expr, *functions: object) -> bool:
        found = self.ctx.static(node, Env())
        return any(found is f for f in functions)

    # -- iterators that are read to their end --------------------------------------------------

    def visit_For(self, node: ast.For) -> ast.AST:
        """`for y in map(f, xs)`."""
        node.iter = self._all_of(node.iter)
        return self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        """`[y for y in map(f, xs)]`."""
        node.iter = self._all_of(node.iter)
        return self.generic_visit(node)

    def visit_Starred(self, node: ast.Starred) -> ast.AST:
        """`[*map(f, xs)]`, `[*(f(x) for x in xs)]`."""
        node.value = self._all_of(node.value)
        match node.value:
            case ast.GeneratorExp(item, generators) if self.finder.of([node.value]).written:
                node.value = placed(ast.ListComp(item, generators), node.value)
        return self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """`a, b = map(f, xs)`."""
        if isinstance(node.targets[0], (ast.Tuple, ast.List)):
            node.value = self._all_of(node.value)
        return self.generic_visit(node)

    def _all_of(self, node: ast.expr) -> ast.expr:
        """The items of `map(f, xs)` and the like as a list, if `f` changes something."""
        match node:
            case ast.Call(_, [first, *_]) if self._means(node.func, enumerate):
                node.args[0] = self._all_of(first)
            case ast.Call(_, [function, *sources], []) if self._means(node.func, map, filter):
                if not sources or any(isinstance(s, ast.Starred) for s in sources):
                    return node
                effects = self._changing(function, sources)
                keeps = self._means(node.func, filter)
                if effects is None or (keeps and len(sources) > 1):
                    return node
                applied = _applied(function, len(sources), node)
                if applied is None:
                    return node
                names, value = applied
                self._check(node, function, effects, sources)
                if keeps:
                    return _each(_read(names[0]), names, sources, node, value)
                return _each(value, names, sources, node)
        return node

    # -- keys ----------------------------------------------------------------------------------

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`sorted(xs, key=f)`, `max(xs, key=f)`, `heapq.nlargest(2, xs, key=f)`; `sum(map(f, xs))`
        and `" ".join(map(f, xs))`."""
        if node.args and self._takes_all(node):
            node.args[0] = self._all_of(node.args[0])
        return self.generic_visit(self._by_key(node) or node)

    def _takes_all(self, node: ast.Call) -> bool:
        """Whether a call asks for all items of its first argument, and what it has besides, which
        Python computes before, is not changed meanwhile."""
        others = [*node.args[1:], *(k.value for k in node.keywords if k.arg != "key")]
        if isinstance(node.func, ast.Attribute):
            if node.func.attr not in _METHODS or self.finder.reaches(node.func):
                return False
            others.append(node.func.value)
        elif not self._means(node.func, *_WHOLE):
            return False
        match node.args[0]:
            case ast.Call(_, [function, *sources]) if others:
                late, its = self.finder.of_function(function, sources), self.finder.of(others)
                both = overlap(its.reads, late.written) or overlap(late.reads, its.written)
                return not both and not its.written
        return True

    def _by_key(self, node: ast.Call) -> ast.expr | None:
        words = {k.arg: k.value for k in node.keywords}
        key = words.pop("key", None)
        if key is None:
            return None
        match node.args:
            case [source] if self._means(node.func, sorted) and words.keys() <= {"reverse"}:
                pairs = self._pairs(node, key, placed(call(list, source), source))
                if pairs is None:
                    return None
                found = ast.Call(node.func, [pairs], [_first(node)])
                found.keywords += [k for k in node.keywords if k.arg == "reverse"]
                return _seconds(found, node)
            case [ast.Constant(int(n)) as count, source] if (
                n > 0 and not words and self._means(node.func, heapq.nlargest, heapq.nsmallest)
            ):  # for a number that is not above 0, they do not call the key
                pairs = self._pairs(node, key, source)
                if pairs is None:
                    return None
                return _seconds(ast.Call(node.func, [count, pairs], [_first(node)]), node)
            case [source] if self._means(node.func, max, min) and words.keys() <= {"default"}:
                return self._extreme(node, key, source, words.get("default"))
        return None

    def _extreme(
        self, node: ast.Call, key: ast.expr, source: ast.expr, default: ast.expr | None
    ) -> ast.expr | None:
        if default is not None:  # Python computes it before it calls the key
            its, effects = self.finder.of([default]), self._changing(key, [source])
            if effects is None or its.written or overlap(its.reads, effects.written):
                return None
        pairs = self._pairs(node, key, source)
        if pairs is None:
            return None
        if default is None:
            found = ast.Call(node.func, [pairs], [_first(node)])
            return placed(ast.Subscript(found, ast.Constant(1), ast.Load()), node)
        what = "largest of pairs" if self._means(node.func, max) else "least of pairs"
        return placed(call(STAND_INS[what, 2], pairs, default), node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        """`xs.sort(key=f)`: what `f` sees of the list while it is sorted is nothing."""
        match node.value:
            case ast.Call(ast.Attribute(owner, "sort"), [], keywords) as sort:
                words = {k.arg: k.value for k in keywords}
                place = path_of(owner)
                if "key" not in words or place is None or self.finder.reaches(sort.func):
                    return self.generic_visit(node)
                effects = self._changing(words["key"], [owner])
                if effects is None or overlap([place], effects.reads | effects.written):
                    return self.generic_visit(node)
                whole = placed(call(sorted, copied(owner)), node.value)
                whole.keywords = keywords
                new = self.visit(whole)
                if new is whole:
                    return node
                every = ast.Subscript(owner, ast.Slice(), ast.Store())
                return placed(ast.Assign([every], new), node)
        return self.generic_visit(node)

    def _pairs(self, node: ast.Call, key: ast.expr, source: ast.expr) -> ast.ListComp | None:
        """A list of pairs: what `key` gives for an item, and the item."""
        effects = self._changing(key, [source])
        applied = None if effects is None else _applied(key, 1, node)
        if effects is None or applied is None:
            return None
        (name,), value = applied
        self._check(node, key, effects, [source])
        return _each(ast.Tuple([value, _read(name)], ast.Load()), [name], [source], key)

    # -- effects -------------------------------------------------------------------------------

    def _changing(self, function: ast.expr, sources: list[ast.expr]) -> Effects | None:
        """The effects of calls of `function`; None if it changes nothing."""
        effects = self.finder.of_function(function, sources)
        return effects if effects.written else None

    def _check(
        self, node: ast.Call, function: ast.expr, effects: Effects, sources: list[ast.expr]
    ) -> None:
        """An error if a function changes what its items are from."""
        for source in sources:
            at_once = isinstance(source, ast.Call) and self._means(source.func, *_AT_ONCE)
            reads = {
                p for p in self.finder.of([source]).reads if p[1] or p[0] not in effects.rebinds
            }
            seen = overlap(reads, effects.changes)
            if seen and not at_once and not makes_list(source):
                name, attr = seen[0]
                self.ctx.fail(
                    "AC030",
                    node,
                    f"{ast.unparse(node.func)} calls {ast.unparse(function)}, which changes "
                    f"{f'{name}.{attr}' if attr else name} while the items are taken from it",
                    f"a copy: `list({ast.unparse(source)})`",
                )


def _applied(function: ast.expr, count: int, node: ast.AST) -> tuple[list[str], ast.expr] | None:
    """Names for `count` arguments, and the value of `function` for them; None if it is not known
    to be the same as a call."""
    match function:
        case ast.Lambda(ast.arguments([], args, None, [], [], None, []), body):
            # What `:=` binds in a lambda is its own, and in a comprehension it is not.
            if len(args) != count or names_bound(body):
                return None
            return [a.arg for a in args], body
        case ast.Name() | ast.Attribute(ast.Name()):
            place = f"{node.lineno}:{node.col_offset}"  # type: ignore[attr-defined]
            names = [f"argument {i} in {place}" for i in range(count)]
            return names, ast.Call(function, [_read(n) for n in names], [])
    return None


def _each(
    value: ast.expr,
    names: list[str],
    sources: list[ast.expr],
    node: ast.expr,
    test: ast.expr | None = None,
) -> ast.ListComp:
    """`[value for names in zip(sources) if test]`."""
    targets: list[ast.expr] = [ast.Name(n, ast.Store()) for n in names]
    one = len(targets) == 1
    target = targets[0] if one else ast.Tuple(targets, ast.Store())
    source = sources[0] if one else call(zip, *sources)
    tests = [] if test is None else [test]
    return placed(ast.ListComp(value, [ast.comprehension(target, source, tests, 0)]), node)


def _first(node: ast.expr) -> ast.keyword:
    """`key=lambda pair: pair[0]`."""
    pair = ast.arguments([], [ast.arg("pair")], None, [], [], None, [])
    part = ast.Subscript(_read("pair"), ast.Constant(0), ast.Load())
    return placed(ast.keyword("key", ast.Lambda(pair, part)), node)


def _seconds(pairs: ast.expr, node: ast.expr) -> ast.ListComp:
    """The second parts of a list of pairs."""
    name = f"a pair in {node.lineno}:{node.col_offset}"
    part = ast.Subscript(_read(name), ast.Constant(1), ast.Load())
    return _each(part, [name], [pairs], node)


def _read(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())
