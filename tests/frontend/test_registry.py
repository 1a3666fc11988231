"""The tables of the language: complete, without overlap, documented, open to one more entry."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from acrobat.frontend import constructs, registry
from acrobat.frontend.constructs import refused
from acrobat.frontend.context import FunctionContext
from acrobat.frontend.emit import tensor_op
from acrobat.frontend.module import lower_model
from acrobat.frontend.registry import Arity, Method
from acrobat.frontend.scope import Env
from acrobat.ir import typed as T
from acrobat.ir.types import TensorType
from acrobat.lang.diagnostics import ModelError

LANGUAGE = (Path(__file__).parents[2] / "docs" / "language.md").read_text()
MODEL = """
@ab.params
class P:
    b: Tensor["H"]


@ab.model
def f(p: P, n: int) -> Tensor["H"]:
    xs = [n]
{body}
    return p.b
"""

# A statement with a node of each class that the language refuses, and what is said of it.
REFUSED: dict[type[ast.AST], tuple[str, str, str]] = {
    ast.Yield: ("m = yield n", "`yield`", "a result"),
    ast.YieldFrom: ("m = yield from xs", "`yield`", "a result"),
    ast.ClassDef: ("class G: pass", "a local class", "an @ab.data class outside the function"),
    ast.Try: (
        "try: pass\n    finally: pass",
        "this `try`",
        "a test before what may raise: `if k in d:`, `if i < len(xs):`",
    ),
    ast.With: ("with n: pass", "`with`", "plain calls"),
    ast.TryStar: (
        "try: pass\n    except* ValueError: pass",
        "`try`",
        "a result that says what happened, as an @ab.data union",
    ),
}
# Python refuses these in a plain function at the top of a module.
NOT_WRITTEN = {ast.Await, ast.Nonlocal, ast.AsyncFor, ast.AsyncFunctionDef, ast.AsyncWith}
# These stand only inside of nodes whose handlers look at them.
INSIDE = {ast.Slice, ast.Starred}

Load = Callable[[str], ModuleType]


def kinds(base: type[ast.AST]) -> set[type[ast.AST]]:
    """The classes of nodes that every supported Python has."""
    later = {"TypeAlias", "TemplateStr", "Interpolation"}
    return {c for c in base.__subclasses__() if c.__name__ not in later}


def test_every_file_of_constructs_registers() -> None:
    folder = Path(inspect.getfile(constructs)).parent
    files = {p.stem for p in folder.glob("*.py")} - {"__init__"}
    assert files == {n for n, v in vars(constructs).items() if inspect.ismodule(v)}


def test_every_kind_of_syntax_is_lowered_or_refused() -> None:
    lowered: set[type[ast.AST]] = {*registry.EXPRESSIONS, *registry.STATEMENTS}
    assert not lowered & (REFUSED.keys() | NOT_WRITTEN | INSIDE)
    assert lowered | REFUSED.keys() | NOT_WRITTEN | INSIDE == kinds(ast.expr) | kinds(ast.stmt)
    hinted: set[type[ast.AST]] = {*refused.EXPRESSIONS, *refused.STATEMENTS}
    assert hinted <= REFUSED.keys() | NOT_WRITTEN | {ast.GeneratorExp}


@pytest.mark.parametrize("kind", REFUSED, ids=lambda k: k.__name__)
def test_refused_syntax(kind: type[ast.AST], load_model: Load) -> None:
    source, what, hint = REFUSED[kind]
    with pytest.raises(ModelError) as caught:
        lower_model(load_model(MODEL.format(body=f"    {source}")).f)
    (error,) = caught.value.errors
    assert (error.code, error.message, error.hint) == (
        "AC002" if issubclass(kind, ast.expr) else "AC001",
        f"{what} is not part of the language",
        hint,
    )


def test_two_handlers_of_one_thing_are_a_bug() -> None:
    with pytest.raises(AssertionError, match="two handlers of"):
        registry.expression(ast.IfExp)(registry.EXPRESSIONS[ast.Call])


def rows() -> list[str]:
    """The table of docs/language.md: what each handler's docstring says it lowers."""
    found = []
    for table in (registry.STATEMENTS, registry.EXPRESSIONS, registry.PATTERNS):
        texts: dict[str, list[str]] = {}
        for kind, handler in table.items():
            if kind.__module__ != "ast":
                continue  # what the compiler itself writes
            text = (inspect.getdoc(handler) or "").removesuffix(".")
            texts.setdefault(text, []).append(f"`{kind.__name__}`")
        found += sorted(f"| {', '.join(kinds)} | {text} |" for text, kinds in texts.items())
    return found


def test_the_language_lists_what_is_lowered() -> None:
    section = LANGUAGE.split("## Index of the syntax\n")[1].split("\n## ")[0]
    lines = [line.replace("\\|", "|") for line in section.splitlines()]
    table = [line for line in lines if line.startswith("| `")]
    assert table == rows(), "docs/language.md should have\n" + "\n".join(rows())


def test_the_language_names_every_function() -> None:
    called: list[Any] = [r.function for r in registry.FUNCTIONS.values()]
    called += [r.function for r in registry.ITERABLES.values()]
    called = [
        f for f in called if not str(f.__module__).startswith("acrobat.frontend")
    ]  # not written
    names = [f"{'ab.' * str(f.__module__).startswith('acrobat')}{f.__name__}" for f in called]
    names += [name for _, name in (*registry.METHODS, *registry.MUTATIONS)]
    names += list(registry.OPERATIONS)
    assert [n for n in names if not re.search(rf"\b{re.escape(n)}\b", LANGUAGE)] == []


def test_one_method_more(load_model: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    def lower(ctx: FunctionContext, node: ast.Call, x: T.Atom, env: Env) -> T.Atom:
        return tensor_op(ctx, "sum", node, [(node, x)])

    def model(call: str) -> Any:
        return load_model(MODEL.format(body=f"    x = p.b + {call}")).f

    with pytest.raises(ModelError, match=r"AC012: p\.b\.total is not a function of the model"):
        lower_model(model("p.b.total()"))
    monkeypatch.setitem(registry.METHODS, (TensorType, "total"), Method(Arity(0, 0), lower))
    body = lower_model(model("p.b.total()")).functions["f"].body
    lets = [s for s in body.stmts if isinstance(s, T.Let)]
    assert [s.rhs.name for s in lets if isinstance(s.rhs, T.Op)] == ["sum", "add"]
    with pytest.raises(ModelError, match=r"AC016: p\.b\.total takes 0 arguments, got 1"):
        lower_model(model("p.b.total(1)"))
    with pytest.raises(ModelError, match=r"AC012: xs\.total is not a function of the model"):
        lower_model(model("xs.total()"))
