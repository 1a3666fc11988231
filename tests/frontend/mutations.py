"""Legal programs with one thing changed; most are illegal then, some stay legal."""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Iterator

from tests.frontend.mistakes.setting import IMPORTS, TYPES

# Every construct of the language, in a model `f` and what it calls.
LEGAL = f"""{IMPORTS}{TYPES}

@ab.model
def walk(p: P, u: Tree, n: int) -> tuple[Tensor["H"], int]:
    match u:
        case Leaf(word):
            return p.emb[word] * 0.5, n
        case Node(left, right):
            (a, i), (d, j) = ab.parallel(walk(p, left, n + 1), walk(p, right, n))
            both = ops.linear(ops.concat(a, d), ops.concat(p.w, p.w, axis=0), p.b)
            return ops.tanh(both), min(i, j)


@ab.model
def follow(p: P, o: "Chain | None", h: Tensor["H"]) -> Tensor["H"]:
    if o is None:
        return h
    first, second = ops.split(p.z, 2)
    return follow(p, o.next, ops.tanh(h @ p.w + o.x * first) + use(p.one, second))


@ab.model
def f(p: P, u: Tree, s: Many, o: "Chain | None", words: list[int]) -> Tensor["H"]:
    h, depth = walk(p, u, len(words))
    state = follow(p, o, h)
    states = [state]
    total: int = 0
    for i, word in enumerate(words):
        if word == 3 or i > 5:
            continue
        state = ops.sigmoid(state + p.emb[word % 7])
        states.append(state)
        total += word * 2
    while total > 10 and depth < 4:
        total = total // 2
        depth = depth + 1
        if ops.item(ops.sum(state)) > SCALE:
            break
    parts = [walk(p, t, i)[0] for i, t in enumerate(s.items) if i < 3]
    for part in reversed(parts):
        state = state + part if total > 1 else state - part
    ab.phase()
    rows = ops.stack(state, h)
    weights = ops.softmax(rows @ ops.transpose(rows))
    choice = ops.argmax(states[-1])
    mixed = ops.sum(weights @ rows, axis=0) + use(p.two, p.emb[choice])
    return cell(p, ops.where(ops.greater(mixed, 0.0), mixed, p.b), max(total, 1))
"""


def mutated_programs(choose: random.Random, count: int) -> Iterator[tuple[str, str]]:
    """`count` times the kind of change, and the changed program."""
    legal = ast.parse(LEGAL)
    done = 0
    while done < count:
        tree = copy.deepcopy(legal)
        functions = [n for n in tree.body if isinstance(n, ast.FunctionDef)][1:]
        kind = choose.choice(sorted(CHANGES))
        if CHANGES[kind](choose, choose.choice(functions)):
            done += 1
            yield f"changed: {kind}", ast.unparse(ast.fix_missing_locations(tree))


def _nodes(function: ast.FunctionDef, *kinds: type[ast.AST]) -> list[ast.AST]:
    body = [n for s in function.body for n in ast.walk(s)]
    return [n for n in body if isinstance(n, kinds)]


def _delete_statement(choose: random.Random, function: ast.FunctionDef) -> bool:
    blocks = _blocks(function)
    block = choose.choice(blocks)
    del block[choose.randrange(len(block))]
    if not block:
        block.append(ast.Pass())
    return True


def _blocks(function: ast.FunctionDef) -> list[list[ast.stmt]]:
    found = [function.body]
    for node in _nodes(function, ast.If, ast.For, ast.While, ast.match_case):
        found += [b for b in (node.body, getattr(node, "orelse", [])) if b]  # type: ignore[attr-defined]
    return found


def _move_statement(choose: random.Random, function: ast.FunctionDef) -> bool:
    block = choose.choice(_blocks(function))
    statement = block.pop(choose.randrange(len(block)))
    if not block:
        block.append(ast.Pass())
    other = choose.choice(_blocks(function))
    other.insert(choose.randrange(len(other) + 1), statement)
    return True


def _other_name(choose: random.Random, function: ast.FunctionDef) -> bool:
    names = _nodes(function, ast.Name)
    one, other = choose.choice(names), choose.choice(names)
    assert isinstance(one, ast.Name) and isinstance(other, ast.Name)
    changed = one.id != other.id
    one.id = choose.choice([other.id, "unknown", "None_", "ops", "int"]) if changed else one.id
    return changed


def _other_field(choose: random.Random, function: ast.FunctionDef) -> bool:
    attributes = _nodes(function, ast.Attribute)
    if not attributes:
        return False
    one = choose.choice(attributes)
    assert isinstance(one, ast.Attribute)
    one.attr = choose.choice(["b", "z", "x", "next", "items", "tanh", "add", "shape", "wrod"])
    return True


def _swap_expressions(choose: random.Random, function: ast.FunctionDef) -> bool:
    """One expression takes another one's place."""
    everywhere = [
        (node, name, i)
        for node in _nodes(function, ast.stmt, ast.expr)
        for name, value in ast.iter_fields(node)
        for i, item in enumerate(value if isinstance(value, list) else [value])
        if isinstance(item, ast.expr) and isinstance(getattr(item, "ctx", ast.Load()), ast.Load)
    ]
    if len(everywhere) < 2:
        return False
    to, by = choose.sample(everywhere, 2)
    value = getattr(by[0], by[1])
    given = copy.deepcopy(value[by[2]] if isinstance(value, list) else value)
    if isinstance(getattr(to[0], to[1]), list):
        getattr(to[0], to[1])[to[2]] = given
    else:
        setattr(to[0], to[1], given)
    return True


def _other_constant(choose: random.Random, function: ast.FunctionDef) -> bool:
    constants = _nodes(function, ast.Constant)
    if not constants:
        return False
    one = choose.choice(constants)
    assert isinstance(one, ast.Constant)
    one.value = choose.choice([0, -1, 2.5, True, None, "text", 2**63, 1e400, 1j, b"a", ...])
    return True


def _other_operator(choose: random.Random, function: ast.FunctionDef) -> bool:
    operators = _nodes(function, ast.BinOp)
    if not operators:
        return False
    one = choose.choice(operators)
    assert isinstance(one, ast.BinOp)
    one.op = choose.choice(
        [
            ast.Pow(),
            ast.MatMult(),
            ast.Mod(),
            ast.BitAnd(),
            ast.LShift(),
            ast.FloorDiv(),
            ast.Mult(),
        ]
    )
    return True


def _other_arguments(choose: random.Random, function: ast.FunctionDef) -> bool:
    calls = _nodes(function, ast.Call)
    if not calls:
        return False
    call = choose.choice(calls)
    assert isinstance(call, ast.Call)
    match choose.randrange(4):
        case 0 if call.args:
            del call.args[choose.randrange(len(call.args))]
        case 1:
            call.args.append(ast.Constant(1))
        case 2 if call.args:
            call.keywords.append(ast.keyword(choose.choice(["axis", "n", "x"]), call.args.pop()))
        case _:
            choose.shuffle(call.args)
    return True


def _other_hint(choose: random.Random, function: ast.FunctionDef) -> bool:
    argument = choose.choice(function.args.args)
    hints = ["int", "Leaf", "list[int]", "P", "Inner", "Tensor['2H']", "None", "'Tree | None'"]
    argument.annotation = choose.choice([None, *(ast.parse(h, mode="eval").body for h in hints)])
    return True


def _wrap_statement(choose: random.Random, function: ast.FunctionDef) -> bool:
    """A statement inside of another one."""
    block = choose.choice(_blocks(function))
    i = choose.randrange(len(block))
    around = choose.choice(
        [
            "if words:\n    pass",
            "for q in range(3):\n    pass",
            "while True:\n    pass",
            "try:\n    pass\nfinally:\n    pass",
            "with p:\n    pass",
            "def inner():\n    pass",
            "if n > 2:\n    pass\nelse:\n    return 3",
        ]
    )
    (outer,) = ast.parse(around).body
    outer.body = [block[i]]  # type: ignore[attr-defined]
    block[i] = outer
    return True


CHANGES = {
    "a statement deleted": _delete_statement,
    "a statement moved": _move_statement,
    "another name": _other_name,
    "another field": _other_field,
    "another expression": _swap_expressions,
    "another constant": _other_constant,
    "another operator": _other_operator,
    "other arguments": _other_arguments,
    "another hint": _other_hint,
    "a statement inside of another": _wrap_statement,
}
