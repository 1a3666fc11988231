"""The examples of docs/errors.md: the failing ones give their text, the fixed ones compile."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from acrobat.frontend.module import lower_model
from acrobat.lang.diagnostics import CODES, ModelError
from tests.loading import load_file

DOC = (Path(__file__).parents[2] / "docs" / "errors.md").read_text()
[PRELUDE] = re.findall(r"```python prelude\n(.*?)```", DOC, re.S)
ENTRIES = re.findall(
    r"^## (AC\d+): (.*?)\n.*?```python failing\n(.*?)```\n\n```text\n(.*?)\n```\n\n"
    r"```python fixed\n(.*?)```",
    DOC,
    re.S | re.M,
)
IMPORTS = "import numpy as np\n\nimport acrobat as ab\nfrom acrobat import Float32, Tensor, ops\n"
HEAD = f"{IMPORTS}\n{PRELUDE}\n"


def load(folder: Path, text: str) -> Any:
    path = folder / "model.py"
    path.write_text(HEAD + text)
    return load_file(path, f"errors_{abs(hash((str(folder), text)))}").f


def rendered(error: ModelError) -> str:
    text = re.sub(r'File ".*?"', 'File "model.py"', error.render())
    shift = HEAD.count("\n")
    return re.sub(r"line (\d+)", lambda m: f"line {int(m[1]) - shift}", text)


def test_every_code_has_an_entry() -> None:
    documented = re.findall(r"^## (AC\d+): (.*)$", DOC, re.M)
    assert dict(documented) == CODES


@pytest.mark.parametrize(("code", "title", "failing", "text", "fixed"), ENTRIES)
def test_example(
    tmp_path: Path, code: str, title: str, failing: str, text: str, fixed: str
) -> None:
    with pytest.raises(ModelError) as caught:
        lower_model(load(tmp_path, failing))
    assert caught.value.code == code
    assert rendered(caught.value) == text
    (tmp_path / "fixed").mkdir()
    lower_model(load(tmp_path / "fixed", fixed))


def test_all_but_two_codes_have_examples() -> None:
    assert {e[0] for e in ENTRIES} == set(CODES) - {"AC028", "AC032"}


def test_several_errors_in_one_run(tmp_path: Path) -> None:
    model = load(
        tmp_path,
        "@ab.model\n"
        'def f(p: P, t: Leaf) -> Tensor["H"]:\n'
        "    a = ops.tahn(p.b)\n"
        "    c = p.b + p.z\n"
        "    d = a + c\n"  # follows from the two above: no error of its own
        "    return g(p, t)\n\n"
        "@ab.model\n"
        'def g(p: P, t: Leaf) -> Tensor["H"]:\n'
        "    return t.word\n",
    )
    with pytest.raises(ModelError) as caught:
        lower_model(model)
    assert [e.code for e in caught.value.errors] == ["AC013", "AC010", "AC021"]
    assert any("2 more:" in note for note in caught.value.__notes__)


def test_python_draws_the_source_and_the_caret(tmp_path: Path) -> None:
    import traceback

    with pytest.raises(ModelError) as caught:
        lower_model(
            load(tmp_path, '@ab.model\ndef f(p: P, t: Leaf) -> Tensor["H"]:\n    return q\n')
        )
    text = "".join(traceback.format_exception_only(caught.value))
    assert "    return q\n           ^\n" in text
    assert "AC011: the name 'q' is not defined" in text


def test_no_source_is_said_plainly() -> None:
    space: dict[str, Any] = {"__name__": __name__}
    exec(HEAD + '@ab.model\ndef f(p: P, t: Leaf) -> Tensor["H"]:\n    return p.b\n', space)
    with pytest.raises(ModelError) as caught:
        lower_model(space["f"])
    assert caught.value.code == "AC028"


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        ("h = p.b\nh += p.b\nreturn h", "AC015", "an assignment that changes a tensor in place"),
        (
            "return p.emb[99999999999999999999]",
            "AC002",
            "99999999999999999999 does not fit into 64 bits",
        ),
        ("a, c = ab.parallel(one(p, t), z=one(p, t))\nreturn a", "AC022", "takes no keywords"),
        (
            "n = 0\nfor _ in range(3):\n    n = [p.b]\nreturn p.b",
            "AC008",
            "'n' is int before the loop and list[Tensor[H]] after an iteration",
        ),
        ("for x in t:\n    pass\nreturn p.b", "AC017", "a loop runs over a list or a range"),
        (
            "for i in range(3):\n    if i > 1:\n        h = p.b\nreturn h",
            "AC009",
            "'h' is assigned on some paths",
        ),
        (
            "xs = [1]\nfor x in xs:\n    xs.append(x)\nreturn p.b",
            "AC030",
            "xs changes while a loop",
        ),
        ("xs = [p.b, 1]\nreturn p.b", "AC008", "an item of type int in a list of Tensor[H]"),
        ("xs = [1]\nxs.append(p.b)\nreturn p.b", "AC017", "xs is a list[int], the item is a"),
        ("ys = [a for a in [1] for c in t]\nreturn p.b", "AC017", "a loop runs over a list"),
        ("r = [zip([1], [2])]\nreturn p.b", "AC012", "zip stands only behind the `in`"),
        ("n = ops.item(p.b)\nreturn p.b", "AC010", "ops.item needs a tensor of one element"),
        (
            "if p.b > 1.0:\n    return p.b\nreturn p.b",
            "AC018",
            "the condition is a Mask[H], a truth value for each element",
        ),
        ("return ops.zeros(2, t.word)", "AC002", "a dimension is known when the model is compiled"),
        ("return ops.sum(p.w, 2)", "AC010", "Tensor[H, H] has no axis 2"),
        ("return ops.sum(p.w, t.word)", "AC017", "the axis of ops.sum is a number, written out"),
        ("return ops.sum(p.w, 0, t.word)", "AC017", "keepdims is True or False, written out"),
        ("return p.w[:, 0:1, 2]", "AC002", "3 indices for Tensor[H, H]"),
        ("return p.w[None, None]", "AC002", "a new axis of Tensor[H, H] here"),
        ("return p.w[t.word : t.word + 99]", "AC002", "a slice of 99 rows that begins anywhere"),
        ("return -(p.b > 0)", "AC027", "`-` of a Mask[H]"),
        ("return ~p.b", "AC027", "`~` of a Tensor[H]"),
        ("return p.b & p.b", "AC027", "`&` does not work on tensors"),
        ("return p.b > t", "AC027", "a comparison of Tensor[H] and Leaf"),
        ("return p.b > 0", "AC021", "f returns Mask[H], but its hint says Tensor[H]"),
        ("k, h = p.b.shape\nreturn p.b", "AC025", "2 targets for the 1 axes of Tensor[H]"),
        ("return p.b.any()", "AC017", "any of a Tensor[H]"),
        ("if t.word > 1:\n    w = p.w\nelse:\n    w = p.emb\nreturn p.b @ w", "AC008", "'w' is"),
        ("n = len(t)\nreturn p.b", "AC017", "len of a Leaf"),
        ("q = P(b=p.b)\nreturn p.b", "AC012", "P makes weights, which a model only reads"),
        ("return ops.linear(p.b, v=p.b, w=p.w)", "AC016", "ops.linear does not take 'v' here"),
    ],
)
def test_more_refusals(tmp_path: Path, body: str, code: str, message: str) -> None:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    head = '@ab.model\ndef f(p: P, t: Leaf) -> Tensor["H"]:\n'
    with pytest.raises(ModelError) as caught:
        lower_model(load(tmp_path, head + lines))
    assert (caught.value.code, message in caught.value.msg) == (code, True)


def test_only_the_cycle_is_blamed_for_a_missing_base_case(tmp_path: Path) -> None:
    model = load(
        tmp_path,
        '@ab.model\ndef f(p: P, t: Leaf) -> Tensor["H"]:\n    return g(p, t)\n\n'
        '@ab.model\ndef g(p: P, t: Leaf) -> Tensor["H"]:\n    return g(p, t)\n',
    )
    with pytest.raises(ModelError) as caught:
        lower_model(model)
    (only,) = caught.value.errors
    assert only.message.startswith("every path through g calls g again")


def test_an_int_constant_is_a_declared_float(tmp_path: Path) -> None:
    lower_model(
        load(
            tmp_path,
            '@ab.model\ndef f(p: P, t: Leaf) -> Tensor["H"]:\n    k: float = 1\n'
            "    if k > 0.5:\n        return p.b\n    return p.b\n",
        )
    )


def test_what_cannot_be_a_field(tmp_path: Path) -> None:
    for n, (hint, message) in enumerate(
        (
            ("list[P]", "D.x: a list of weights (P)"),
            ("list", "D.x: a list without the type of its items"),
            ("tuple[int, P]", "D.x: a field of an @ab.data class cannot be a tuple[int"),
            ("dict[float, int]", "D.x: a dict whose keys are float"),
            ("dict", "D.x: a dict without its types"),
            ("P | None", "D.x: Optional of P"),
        )
    ):
        folder = tmp_path / str(n)
        folder.mkdir()
        text = f"@ab.data\nclass D:\n    x: {hint}\n\n\n"
        with pytest.raises(ModelError) as caught:
            lower_model(
                load(
                    folder, text + '@ab.model\ndef f(p: P, t: D) -> Tensor["H"]:\n    return p.b\n'
                )
            )
        assert message in caught.value.msg


def test_no_follow_up_of_a_failed_return(tmp_path: Path) -> None:
    model = load(
        tmp_path,
        '@ab.model\ndef f(p: P, t: Leaf) -> Tensor["H"]:\n    if t.word > 1:\n        return q\n'
        "    else:\n        h = p.b\n    return h\n",
    )
    with pytest.raises(ModelError) as caught:
        lower_model(model)
    assert [e.code for e in caught.value.errors] == ["AC011"]


def test_indented_function_with_flush_docstring_and_wide_characters(tmp_path: Path) -> None:
    model = load(
        tmp_path,
        'if True:\n    @ab.model\n    def f(p: P, t: Leaf) -> Tensor["H"]:\n        """One.\n\n'
        'flush left\n        """\n        größe = p.b; return größe + q\n',
    )
    with pytest.raises(ModelError) as caught:
        lower_model(model)
    (only,) = caught.value.errors
    line, caret = only.render().splitlines()[1:3]
    assert (line.strip(), line[caret.index("^")], caret.count("^")) == (
        "größe = p.b; return größe + q",
        "q",
        1,
    )


def test_strings_inside_a_tuple_hint(tmp_path: Path) -> None:
    lower_model(
        load(
            tmp_path,
            '@ab.model\ndef f(p: P, t: Leaf) -> tuple["Later", Tensor["H"]]:\n'
            "    return t, p.b\n\n\nLater = Leaf\n",
        )
    )


def test_a_dimension_that_no_weight_has(tmp_path: Path) -> None:
    with pytest.raises(ModelError) as caught:
        lower_model(
            load(
                tmp_path,
                '@ab.model\ndef f(p: P, x: Tensor["K"]) -> Tensor["K"]:\n    return x\n',
            )
        )
    assert caught.value.msg == "AC010: no weight has the dimension 'K' of a hint of f"


def test_types_defined_later_in_an_enclosing_function(tmp_path: Path) -> None:
    lower_model(
        load(
            tmp_path,
            "def make():\n"
            "    @ab.model\n"
            '    def f(p: P, t: "Later") -> Tensor["H"]:\n'
            "        return p.emb[t.word]\n\n"
            "    @ab.data\n"
            "    class Later:\n"
            "        word: int\n"
            '        next: "Later | None"\n\n'
            "    return f\n\n\nf = make()\n",
        )
    )
