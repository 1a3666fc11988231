"""Rewrite a function so that objects are numbers, and their fields items of lists."""

from __future__ import annotations

import ast
import types
from typing import Any

from ..constructs.field_changes import attribute_of
from ..context import MISSING as UNKNOWN
from ..object_numbers import is_compared
from ..written import call, copied, known, placed
from .field_access import FieldRewriter, is_plain
from .inference import truth_method
from .kinds import Object
from .loops import by_index, check_comprehension, may_change, owner_name, owner_of
from .program import GivenUp

_COPIES = ("copy", "deepcopy", "replace", "vars", "asdict", "astuple", "id", "hash", "type")


class Rewriter(FieldRewriter, ast.NodeTransformer):
    """Rewrites one function."""

    # -- calls ---------------------------------------------------------------------------------

    def visit_Call(self, node: ast.Call) -> Any:
        func = node.func
        made = self.static(func)
        if isinstance(made, type) and made in self.layout.numbered:
            return self._made(node, made)
        name = getattr(made, "__name__", "")
        if name in _COPIES and made is not UNKNOWN and any(map(self._has_object, node.args)):
            raise GivenUp
        if isinstance(func, ast.Attribute) and made is UNKNOWN:
            cls = self.object_class(func.value)
            found = None if cls is None else attribute_of(cls, func.attr)
            if cls is not None and isinstance(found, (types.FunctionType, staticmethod)):
                method = self.method_name(cls, func.attr)
                if method is not None:
                    return self._method(node, method, func.value, isinstance(found, staticmethod))
        match node:
            case ast.Call(ast.Name("len" | "bool" as name), [one], []):
                cls = self.object_class(one)
                wanted = "__len__" if name == "len" else None
                if cls is not None and made in (len, bool):
                    wanted = wanted or truth_method(cls) or ""
                    method = self.method_name(cls, wanted)
                    if method is not None:
                        found_by = self._call(node, method, [self.visit(one)])
                        return found_by if made is len else placed(call(bool, found_by), node)
        if made is UNKNOWN:
            cls = self.object_class(func)
            if cls is not None:
                method = self.method_name(cls, "__call__")
                if method is not None:
                    return self._method(node, method, func, False)
        return self.generic_visit(node)

    def _has_object(self, node: ast.expr) -> bool:
        return self.layout.holds(self.kind(node))

    def _method(self, node: ast.Call, name: str, owner: ast.expr, is_static: bool) -> ast.expr:
        if self.own is not None and isinstance(owner, ast.Name) and owner.id == self.own:
            raise GivenUp
        if is_static and not is_plain(owner):
            raise GivenUp
        node.args = [*([] if is_static else [self.visit(owner)]), *map(self.visit, node.args)]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        node.func = placed(ast.Name(name, ast.Load()), node)
        return node

    def _call(self, node: ast.expr, name: str, args: list[ast.expr]) -> ast.expr:
        return placed(ast.Call(ast.Name(name, ast.Load()), args, []), node)

    def _made(self, node: ast.Call, cls: type) -> ast.expr:
        """`Node(x)`."""
        if cls in self.layout.single:
            raise GivenUp
        node.args = list(map(self.visit, node.args))
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        if any(isinstance(a, ast.Starred) for a in node.args):
            raise GivenUp
        self.layout.with_defaults(node, cls)
        node.func = placed(ast.Name(self.layout.init_name(cls), ast.Load()), node)
        return node

    # -- operators -----------------------------------------------------------------------------

    def visit_Compare(self, node: ast.Compare) -> Any:
        if len(node.ops) == 1:
            op, left, right = node.ops[0], node.left, node.comparators[0]
            cls = self.object_class(right)
            if cls in self.layout.numbered and cls is not None:
                if isinstance(op, (ast.Is, ast.IsNot)) and self.object_class(left) is cls:
                    if not is_compared(cls):
                        raise GivenUp
                    node.ops = [ast.Eq() if isinstance(op, ast.Is) else ast.NotEq()]
                elif isinstance(op, (ast.In, ast.NotIn)):
                    name = self.method_name(cls, "__contains__")
                    if name is None or not (is_plain(left) or is_plain(right)):
                        raise GivenUp
                    found = self._call(node, name, [self.visit(right), self.visit(left)])
                    if isinstance(op, ast.In):
                        return placed(call(bool, found), node)
                    return placed(ast.UnaryOp(ast.Not(), found), node)
        return self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        cls = self.object_class(node.value)
        if cls is not None:
            if not isinstance(node.ctx, ast.Load):
                raise GivenUp
            name = self.method_name(cls, "__getitem__")
            if name is not None:
                return self._call(node, name, [self.visit(node.value), self.visit(node.slice)])
        return self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> Any:
        match node.targets:
            case [ast.Subscript(owner, index)] if self.object_class(owner) is not None:
                cls = self.object_class(owner)
                assert cls is not None
                name = self.method_name(cls, "__setitem__")
                if name is not None and is_plain(owner) and is_plain(index):
                    given = [self.visit(owner), self.visit(index), self.visit(node.value)]
                    return placed(ast.Expr(self._call(node.value, name, given)), node)
                raise GivenUp
        node.value = self.visit(node.value)
        node.targets = [self.visit(t) for t in node.targets]
        return node

    # -- truth values --------------------------------------------------------------------------

    def _truth(self, node: ast.expr) -> ast.expr:
        kind = self.kind(node)
        if isinstance(node, ast.BoolOp):
            node.values = [self._truth(v) for v in node.values]
            return node
        if not isinstance(kind, Object) or kind.cls not in self.layout.numbered:
            return self.visit(node)  # type: ignore[no-any-return]
        method = truth_method(kind.cls)
        there = ast.Compare(self.visit(node), [ast.IsNot()], [ast.Constant(None)])
        if method is None:
            return placed(there, node)
        name = self.method_name(kind.cls, method)
        assert name is not None
        if not kind.optional:
            return self._call(node, name, [self.visit(node)])
        if not isinstance(node, ast.Name):
            raise GivenUp
        return placed(ast.BoolOp(ast.And(), [there, self._call(node, name, [copied(node)])]), node)

    def _test(self, node: Any) -> Any:
        test = self._truth(node.test)
        node.test = ast.Constant(True)
        self.generic_visit(node)
        node.test = test
        return node

    visit_If = visit_While = visit_IfExp = visit_Assert = _test  # noqa: N815

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        if isinstance(node.op, ast.Not):
            node.operand = self._truth(node.operand)
            return node
        return self.generic_visit(node)

    def visit_For(self, node: ast.For) -> Any:
        if not may_change(self.look, self.function, node):
            return self.generic_visit(node)
        owner = owner_of(self.look, node)
        cls = self.object_class(owner)
        assert isinstance(node.iter, ast.Attribute) and cls is not None
        attr = node.iter.attr
        if cls not in self.layout.numbered or (cls, attr) in self.layout.fixed:
            raise GivenUp
        name = ast.Name(self.layout.field_name(cls, attr), ast.Load())
        node.target = self.visit(node.target)
        if cls in self.layout.single:
            new = by_index(node, None, placed(name, node.iter))
        else:
            one = ast.Name(owner_name(node), ast.Load())
            at = ast.Attribute(one, self.layout.number_field(cls), ast.Load())
            items = placed(ast.Subscript(name, at, ast.Load()), node.iter)
            new = by_index(node, self.visit(owner), items)
        loop = new[-1]
        assert isinstance(loop, ast.While)
        loop.body[2:] = self.statements(loop.body[2:])
        return new

    def statements(self, stmts: list[ast.stmt]) -> list[ast.stmt]:
        """The statements, rewritten."""
        found: list[ast.stmt] = []
        for stmt in stmts:
            new = self.visit(stmt)
            found += new if isinstance(new, list) else [new]
        return found

    # -- functions inside, and their names -----------------------------------------------------

    def _comprehension(self, node: Any) -> Any:
        check_comprehension(self.look, self.function, node)
        names = {
            n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)
        }
        node.generators[0].iter = self.visit(node.generators[0].iter)
        self.hidden.append(names)
        for i, each in enumerate(node.generators):
            each.iter = each.iter if i == 0 else self.visit(each.iter)
            each.target = self.visit(each.target)
            each.ifs = [self._truth(t) for t in each.ifs]
        for name in ("elt", "key", "value"):
            if hasattr(node, name):
                setattr(node, name, self.visit(getattr(node, name)))
        self.hidden.pop()
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension  # noqa: N815

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        self.hidden.append({a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)})
        node.body = self.visit(node.body)
        self.hidden.pop()
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        self.layout.hints(self.function, node)
        node.body = self.statements(node.body)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is None:
            raise GivenUp
        node.value = self.visit(node.value)
        node.target = self.visit(node.target)
        hint = self.layout.hint(self.function, node.annotation)
        if hint is None or not isinstance(node.target, ast.Name):
            return placed(ast.Assign([node.target], node.value), node)
        node.annotation = placed(known(hint), node.annotation)
        node.simple = 1
        return node

    def visit_Match(self, node: ast.Match) -> Any:
        if self._has_object(node.subject):
            raise GivenUp
        return self.generic_visit(node)

    def visit_MatchClass(self, node: ast.MatchClass) -> Any:
        found = self.static(node.cls)
        if isinstance(found, type) and found in self.layout.numbered:
            raise GivenUp
        return node
