"""Where a function mentions its names, and which mentions come before a statement when it runs."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

_FUNCTIONS = (ast.FunctionDef, ast.Lambda)
_LOOPS = (ast.For, ast.While)


@dataclass(frozen=True, slots=True)
class Step:
    """Where a statement is: its number in the order of the text, the list of statements that it is
    in and those around that one, and the loops around it, itself included. `nested`: it is in a
    function inside of the function, which may be called at any time, and where the names `hidden`
    are parameters."""

    order: int
    block: int
    blocks: frozenset[int]
    loops: frozenset[int]
    nested: bool = False
    hidden: frozenset[str] = frozenset()


# The call of the function, which gives values to its parameters.
CALLED = Step(-1, 0, frozenset(), frozenset())


@dataclass(slots=True)
class Flow:
    """What a function's syntax tree says. `names` are the mentions of each name, in order;
    `parents` and `steps` are by the identities of nodes."""

    tree: ast.FunctionDef
    parents: dict[int, ast.AST] = field(default_factory=dict)
    steps: dict[int, Step] = field(default_factory=dict)
    names: dict[str, list[ast.AST]] = field(default_factory=dict)
    nodes: list[ast.AST] = field(default_factory=list)  # so that no other gets the identity of one

    @staticmethod
    def of(tree: ast.FunctionDef) -> Flow:
        """The flow of a function."""
        flow = Flow(tree)
        own = id(tree.body)
        whole = Step(0, own, frozenset({own}), frozenset())
        flow._look_at(tree.body, whole)
        for arg in ast.walk(tree.args):
            if isinstance(arg, ast.arg):
                flow.names.setdefault(arg.arg, []).append(arg)
                flow.steps[id(arg)] = CALLED
        return flow

    def _look_at(self, body: list[ast.stmt], whole: Step) -> None:
        order = 0
        work: list[tuple[ast.AST, Step]] = [(s, whole) for s in reversed(body)]
        for stmt in body:
            self.parents[id(stmt)] = self.tree
        while work:
            node, step = work.pop()
            if isinstance(node, ast.stmt):
                order += 1
                loops = step.loops | {id(node)} if isinstance(node, _LOOPS) else step.loops
                step = replace(step, order=order, loops=loops)
            if isinstance(node, _FUNCTIONS):
                own = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
                step = replace(step, nested=True, hidden=step.hidden | own)
            self.steps[id(node)] = step
            self.nodes.append(node)
            self._name(node, step)
            found: list[tuple[ast.AST, Step]] = []
            for _, value in ast.iter_fields(node):
                if isinstance(value, ast.AST):
                    found.append((value, step))
                elif isinstance(value, list):
                    inner = step
                    if value and isinstance(value[0], ast.stmt):
                        blocks = step.blocks | {id(value)}
                        inner = replace(step, block=id(value), blocks=blocks)
                    found += [(v, inner) for v in value if isinstance(v, ast.AST)]
            for child, _ in found:
                self.parents[id(child)] = node
            work += reversed(found)

    def _name(self, node: ast.AST, step: Step) -> None:
        name = None
        if isinstance(node, ast.Name):
            name = node.id
        elif isinstance(node, (ast.MatchAs, ast.MatchStar)):
            name = node.name
        elif isinstance(node, ast.arg):
            name = node.arg
        if name is not None and name not in step.hidden:
            self.names.setdefault(name, []).append(node)

    def within(self, node: ast.AST, outer: ast.AST) -> bool:
        """Whether `node` is part of `outer`."""
        at: ast.AST | None = node
        while at is not None and at is not outer:
            at = self.parents.get(id(at))
        return at is outer


def may_precede(a: Step, change: Step, made: Iterable[Step]) -> bool:
    """Whether `change` may run after `a` without one of the statements `made` in between."""
    if a.nested or change.nested:
        return True
    both = a.loops & change.loops
    if a.order > change.order and not both:
        return False
    # To come to `change`, control passes every statement that is before it in a list around it. One
    # of those `made` is in the way unless it lies before `a`, and no loop leads back to it.
    return not any(
        m.block in change.blocks
        and m.order < change.order
        and not m.order < a.order <= change.order
        and both <= m.loops
        for m in made
    )
