"""Programs that are not in the model language, by kind of mistake.

`programs()` gives (kind, source of a module whose model is called `f`). They are texts in this
folder, one mistake in each:

    in_function/<kind>.txt   the lines of a function that has a value of every type at hand
                             (`setting.HEAD`), with a blank line between programs
    modules/<kind>.txt       definitions behind those of `setting.TYPES`, with %% between programs
    declarations.txt         a class `D` of data or weights
    hints.txt                hints that are no types of the language, for a parameter, a result, a
                             local, a field; a line each
"""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterator
from pathlib import Path

from tests.frontend.mistakes.setting import HEAD, IMPORTS, NUMBERS, TENSORS, TYPES, VALUES

HERE = Path(__file__).parent


def entries(path: Path, between: str) -> list[str]:
    """The texts of a file."""
    return path.read_text().removesuffix("\n").split(between)


def in_function(body: str) -> str:
    """A module whose `f` has these statements; it returns `p.b` if they do not return."""
    lines = textwrap.dedent(body).strip("\n").split("\n")
    if not lines[-1].startswith(("return", "raise")):
        lines.append("return p.b")
    return HEAD + "".join(f"    {line}\n" for line in lines)


def module(text: str) -> str:
    """A module with these definitions behind the types of the others."""
    return f"{IMPORTS}{TYPES}\n\n{textwrap.dedent(text).strip()}\n"


def programs() -> Iterator[tuple[str, str]]:
    """Every program with its kind; no two are the same."""
    for path in sorted((HERE / "in_function").glob("*.txt")):
        for body in entries(path, "\n\n"):
            yield path.stem, in_function(body)
    for path in sorted((HERE / "modules").glob("*.txt")):
        for text in entries(path, "\n%%\n"):
            yield path.stem, module(text)
    yield from _operators()
    yield from _hints()
    for text in entries(HERE / "declarations.txt", "\n%%\n"):
        use = "@ab.model\ndef f(p: P, d: D) -> int:\n    return 1"
        if "params" in text:
            use = "@ab.model\ndef f(p: D, d: int) -> int:\n    return 1"
        yield "declaration", module(f"{text}\n\n\n{use}")
        two = "@ab.model\ndef g(p: P, d: D) -> int:\n    return 1\n\n\n" + use.replace(
            "return 1", "return g(p, d)"
        )
        if "class" in text and "params" in text:
            two = two.replace("g(p: P, d: D)", "g(p: D, d: int)")
        yield "declaration in two functions", module(f"{text}\n\n\n{two}")


def _operators() -> Iterator[tuple[str, str]]:
    """Every operator on every two kinds of values that it is not for."""
    numbers, tensors = NUMBERS, TENSORS
    for op, (a, b) in itertools.product(
        ("+", "*", "//", "<", "=="), itertools.product(VALUES, repeat=2)
    ):
        both = {a, b}
        if both <= numbers or (op in "+*<==" and both <= numbers | tensors):
            continue
        if op == "*" and both == {"int", "str"}:
            continue
        if (op == "+" and a == b == "list") or (op == "==" and a == b == "bool"):
            continue
        if both <= {*numbers, "bool"} or (op == "*" and both == {"int", "list"}):
            continue  # truth values count as numbers, and a list is repeated
        if op in "+*<==" and "bool" in both and both & tensors:
            continue  # truth values count in tensors, too
        if op == "==" and a == b and a in ("list", "tuple"):
            continue
        if op == "==" and both <= {"data", "union", "optional", "None"}:
            continue  # objects of data types are compared, also with None
        if not both & {"int", "vector", "list", "union", "None"}:
            continue  # enough of each kind
        yield "operator", in_function(f"y = {VALUES[a]} {op} {VALUES[b]}")


def _hints() -> Iterator[tuple[str, str]]:
    uses = (
        "@ab.model\ndef f(p: P, a: {}) -> int:\n    return 1",
        "@ab.model\ndef f(p: P, n: int) -> {}:\n    return 1",
        "@ab.model\ndef f(p: P, n: int) -> int:\n    a: {} = n\n    return 1",
        "@ab.data\nclass D:\n    a: {}\n\n\n@ab.model\ndef f(p: P, d: D) -> int:\n    return 1",
    )
    imports = "import collections.abc\nimport enum\nimport typing\n\n"
    for hint, use in itertools.product(entries(HERE / "hints.txt", "\n"), uses):
        text = use.format(hint)
        yield "hint", module(imports + text)
