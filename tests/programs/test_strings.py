"""Strings that a model takes apart and puts together: what plain Python gives, from both
executors."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any, Literal

import numpy as np
import pytest

import acrobat as ab
from acrobat.ir.host_functions import HOST_FUNCTIONS

Load = Callable[[str], ModuleType]
Executor = Literal["vm", "aot"]
EXECUTORS: tuple[Executor, ...] = ("vm", "aot")

pytestmark = pytest.mark.usefixtures("interpreted_kernels")

WEIGHTS = """
@ab.params
class P:
    emb: Tensor["11", "H"]
    w: Tensor["H", "H"]


"""
TEXTS = [
    "",
    "a",
    "Ab, cab x",
    "12",
    " -7\t",
    "0x1f",
    "é ß\ud800",
    "a\0b",
    "aaaa",
    "Title Case",
    "b=c=d",
]


def params(module: ModuleType) -> Any:
    rng = np.random.default_rng(0)
    return module.P(emb=rng.normal(size=(11, 4)), w=rng.normal(size=(4, 4)))


def outcome(f: Callable[[], Any]) -> Any:
    """What it returns, or what it raises."""
    try:
        return f()
    except (ValueError, LookupError, TypeError, OverflowError) as error:
        return f"{type(error).__name__}: {error}"


def check(module: ModuleType, executor: Executor, instances: list[Any]) -> None:
    """Each instance, alone or in a mini-batch, gets what plain Python gives it."""
    p = params(module)
    plain = [outcome(partial(module.f, p, *i)) for i in instances]
    bad = [str(want).partition(":")[0].endswith("Error") for want in plain]
    fast = ab.compile(module.f, p, options=ab.Options(executor=executor))
    good = [i for i, wrong in zip(instances, bad, strict=True) if not wrong]
    assert fast(good) == [want for want, wrong in zip(plain, bad, strict=True) if not wrong]
    for instance, want, wrong in zip(instances, plain, bad, strict=True):
        if wrong:
            with pytest.raises(ab.InstanceError) as caught:
                fast([instance])
            assert str(caught.value) == f"instances[0]: {want}"


NOTHING = {"int": "0", "float": "0.0", "bool": "False", "str": "''"}
EXPRESSIONS = """
len(s) | int
s[n] | str
s[1:] | str
s[:n] | str
s[n:-1] | str
s[::-1] | str
s[::2] | str
s + t | str
s * n | str
n * s | str
s in t | bool
s not in "abcab" | bool
s < t | bool
s >= t | bool
s == t | bool
min(len(s), 3) | int
ord(s) | int
chr(97 + n) | str
chr(n) | str
int(s) | int
int(s, 16) | int
float(s) | float
str(n) + repr(s) | str
str(n / 2) + str(n > 1) | str
f"{s}_{n:03d}|{n / 3:.2f}|{s!r:>9}|{n > 0}|{t:<4}{n!s}" | str
f"{s=}{{}}" | str
s.lower() + s.upper() + s.title() + s.capitalize() + s.swapcase() + s.casefold() | str
s.strip() + "|" + s.lstrip() + "|" + s.rstrip() | str
s.strip("a ") + s.lstrip(t) + s.rstrip("b") | str
s.removeprefix("a") + s.removesuffix("b") | str
s.replace("a", t) + s.replace("a", "", 1) | str
s.zfill(5) + s.ljust(n) + s.rjust(6) + s.center(7) | str
s.isalpha() or s.isdigit() or s.isspace() | bool
s.isupper() or s.islower() or s.istitle() | bool
s.isalnum() and s.isascii() and s.isidentifier() | bool
s.isnumeric() and s.isdecimal() and s.isprintable() | bool
s.startswith("a") or s.endswith(("x", "d")) | bool
s.find("a") + s.rfind("a") + s.count("a") | int
s.index("a") + s.rindex(t) | int
len(s.split()) + len(s.splitlines()) | int
"|".join((s + "\\n\\r\\n" + t).splitlines()) | str
(s.split() or ["-"])[0] | str
"-".join(s.split(",")) | str
"-".join(s.rsplit("=", 1)) | str
"-".join(s.split(maxsplit=1)) | str
"".join(s.split(t)) | str
s.partition("a")[0] + s.rpartition(" ")[2] | str
t.join([c for c in s]) | str
", ".join(reversed(s)) | str
"".join([f"{i}{c}" for i, c in enumerate(s) if c != "a"]) | str
sum(1 for c in s if c in "aeiou") | int
"".join(a + b for a, b in zip(s, t)) | str
(s or t)[0] | str
"x" if "=" in s else s[-1] | str
"""


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("hint", NOTHING)
def test_expressions(hint: str, executor: Executor, load_model: Load) -> None:
    """All of one type in one program, which compiles once."""
    lines = [line.rpartition(" | ") for line in EXPRESSIONS.strip().splitlines()]
    texts = [text for text, _, of in lines if of == hint]
    cases = [f"    if k == {i}:\n        return {text}\n" for i, text in enumerate(texts)]
    source = f"@ab.model\ndef f(p: P, s: str, t: str, n: int, k: int) -> {hint}:\n"
    module = load_model(WEIGHTS + source + "".join(cases) + f"    return {NOTHING[hint]}\n")
    triples = [(s, t, n) for n, s in enumerate(TEXTS) for t in ("a", "cab", "")]
    check(module, executor, [(*i, k) for i in triples for k in range(len(texts))])


def test_every_method_is_tried() -> None:
    tried = set(EXPRESSIONS.replace("(", " ").replace(".", " ").split())
    for name in HOST_FUNCTIONS:
        if name.startswith("str.") and "/" in name:
            assert name.split(".")[1].split("/")[0] in tried, name


CHARACTERS = """
LARGE = {f"w{i}": i % 11 for i in range(500)}
RARE = {f"w{i}" for i in range(0, 600, 3)} | {f"v{i}" for i in range(300)}
NUMBERS = [(7 * i) % 11 for i in range(400)]
COST = {i: i / 2 for i in range(300)}


@ab.model
def characters(p: P, s: str) -> Tensor["H"]:
    h = p.emb[0]
    for c in s:
        h = ops.tanh(h @ p.w + p.emb[ord(c) % 11])
    return h


@ab.model
def words(p: P, s: str) -> tuple[Tensor["H"], str, list[str]]:
    h, seen, found = p.emb[0], "", []
    for word in s.split():
        h = ops.tanh(h @ p.w + p.emb[LARGE.get(word, 0)])
        if word in RARE and ops.item(h[0]) > 0:
            seen += word.upper()[:2]
            found.append(f"{word}{len(seen)}")
    return h, seen, found


@ab.model
def item(p: P, s: str, n: int) -> float:
    k = COST.get(n)
    return LARGE[s] + NUMBERS[n] + len(LARGE) + (k if k is not None else 0.5)


@ab.model
def longer(p: P, s: str, n: int) -> int:
    return len(s * n)
"""


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("name", ["characters", "words"])
def test_models_over_strings(executor: Any, name: str, load_model: Load) -> None:
    module = load_model(WEIGHTS + CHARACTERS)
    model, p = getattr(module, name), params(module)
    rng = np.random.default_rng(1)
    texts = [" ".join(f"w{k}" for k in rng.integers(0, 700, n)) for n in range(20)]
    fast = ab.compile(model, p, options=ab.Options(executor=executor))
    prepared = fast.prepare(texts)
    for results in (fast(texts), fast.run(prepared), fast.run(prepared)):
        for text, got in zip(texts, results, strict=True):
            want = model(p, text)
            if name == "words":
                assert got[1:] == want[1:]
                want, got = want[0], got[0]
            np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


def test_threads_may_share_prepared_instances(load_model: Load) -> None:
    """Each run makes new strings, which all have numbers of their own."""
    module = load_model(WEIGHTS + CHARACTERS)
    fast = ab.compile(module.words, params(module), options=ab.Options(executor="aot"))
    texts = [" ".join(f"w{3 * (i + k)}" for k in range(20)) for i in range(40)]
    prepared, want = fast.prepare(texts), [w[1:] for w in fast(texts)]
    found: list[Any] = []

    def run() -> None:
        for _ in range(10):
            found.append([r[1:] for r in fast.run(prepared)])

    threads = [threading.Thread(target=run) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert found == [want] * 40


def test_large_tables(load_model: Load) -> None:
    module = load_model(WEIGHTS + CHARACTERS)
    p = params(module)
    good = [("w3", 5), ("w499", 299), ("w0", -1), ("w1", 399)]
    for executor in EXECUTORS:
        fast = ab.compile(module.item, p, options=ab.Options(executor=executor))
        assert fast(good) == [module.item(p, *i) for i in good]
        for instance, said in (
            (("x", 0), "KeyError: LARGE has no key 'x'"),
            (("w1", 400), "list index 400 is out of range: the list has 400 items"),
        ):
            with pytest.raises(ab.InstanceError) as caught:
                fast([good[0], instance])
            assert str(caught.value) == f"instances[1]: {said}"
        # What has been compiled keeps the table as it was.
        module.LARGE["x"] = 4
        with pytest.raises(ab.InstanceError):
            fast([("x", 0)])
        del module.LARGE["x"]


def test_a_string_too_large_for_memory(load_model: Load) -> None:
    module = load_model(WEIGHTS + CHARACTERS)
    fast = ab.compile(module.longer, params(module), options=ab.Options(executor="aot"))
    with pytest.raises(ab.CapacityError):
        fast([("ab", 2**61)])
    assert fast([("ab", 2)]) == [4]


def test_ints_that_do_not_fit(load_model: Load) -> None:
    source = "@ab.model\ndef f(p: P, s: str) -> int:\n    return int(s)\n"
    module = load_model(WEIGHTS + source)
    for executor in EXECUTORS:
        fast = ab.compile(module.f, params(module), options=ab.Options(executor=executor))
        with pytest.raises(ab.InstanceError) as caught:
            fast(["12", "9223372036854775808"])
        assert str(caught.value) == "instances[1]: 9223372036854775808 does not fit into 64 bits"
