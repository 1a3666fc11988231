"""The examples of docs/errors.md: the failing ones give their text, the fixed ones compile."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest

from acrobat.frontend.diagnostics import CODES, ModelError
from acrobat.frontend.module import lower_model

DOC = (Path(__file__).parents[2] / "docs" / "errors.md").read_text()
PRELUDE = re.search(r"```python prelude\n(.*?)```", DOC, re.S)[1]
ENTRIES = re.findall(
    r"^## (AC\d+): (.*?)\n.*?```python failing\n(.*?)```\n\n```text\n(.*?)\n```\n\n"
    r"```python fixed\n(.*?)```",
    DOC,
    re.S | re.M,
)
HEAD = f"import numpy as np\n\nimport acrobat as ab\nfrom acrobat import Tensor, ops\n\n{PRELUDE}\n"


def load(folder: Path, text: str) -> object:
    path = folder / "model.py"
    path.write_text(HEAD + text)
    name = f"errors_{abs(hash((str(folder), text)))}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module.f


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


def test_all_but_one_code_have_examples() -> None:
    assert {e[0] for e in ENTRIES} == set(CODES) - {"AC028"}


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
    space: dict[str, object] = {"__name__": __name__}
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
        (
            "if t.word > 0 and 4 // t.word > 1:\n    return p.b\nreturn p.b",
            "AC002",
            "a division behind `and`/`or`, which is evaluated in any case",
        ),
        ("a, c = ab.parallel(one(p, t), z=one(p, t))\nreturn a", "AC022", "takes no keywords"),
        ("return ops.mul(p.b, t.word)", "AC027", "only number constants combine with tensors"),
        ("w = p.w if t.word > 1 else p.w\nreturn p.b @ w", "AC008", "chooses between weights"),
        ("if t.word > 1:\n    w = p.w\nelse:\n    w = p.emb\nreturn p.b @ w", "AC008", "'w' is"),
        ("n = len(p.b)\nreturn p.b", "AC012", "len is not part of the language"),
        ("q = P(b=p.b)\nreturn p.b", "AC012", "P makes weights, which a model only reads"),
        ("return ops.linear(p.b, b=p.b, w=p.w)", "AC016", "ops.linear does not take 'b' here"),
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


def test_matrices_stay_with_the_weights(tmp_path: Path) -> None:
    (tmp_path / "field").mkdir()
    with pytest.raises(ModelError) as caught:
        lower_model(
            load(
                tmp_path / "field",
                '@ab.data\nclass M:\n    m: Tensor["H", "H"]\n\n\n'
                '@ab.model\ndef f(p: P, t: M) -> Tensor["H"]:\n    return p.b\n',
            )
        )
    assert "M.m: a field of an @ab.data class cannot be a matrix" in caught.value.msg
    with pytest.raises(ModelError) as caught:
        lower_model(
            load(
                tmp_path,
                '@ab.model\ndef f(p: P, t: Leaf) -> Tensor["H", "H"]:\n    return p.w\n',
            )
        )
    assert caught.value.msg == "AC023: the entry function f cannot return a Tensor[H, H]"


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
