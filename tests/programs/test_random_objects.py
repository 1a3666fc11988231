"""Random programs about objects that change: refused, or the same results as plain Python.

`python -m tests.programs.test_random_objects FIRST LAST` tries any seeds and counts what became of
them.
"""

from __future__ import annotations

import importlib.util
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import acrobat as ab
from tests.programs.generator.objects import ObjectsWriter

WORDS = ([1], [5, 2], [7, 3, 8], [0, 0, 4, 6, 2])
# What a second name is refused with, or a tensor that changes under it; what the compiler never
# takes: a value that is not used, a function that returns nothing, items of an empty list.
REFUSED = {"AC030", "AC015", "AC001", "AC020", "AC027"}


def attempt(seed: int, folder: Path) -> str:
    """What becomes of one program."""
    source = ObjectsWriter(random.Random(seed)).program()
    name = f"random_objects_{seed}"
    file = folder / f"{name}.py"
    file.write_text(source)
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    p = module.P(emb=np.random.default_rng(0).normal(size=(9, 4)))
    instances = [module.X(list(words)) for words in WORDS]
    try:
        fast = ab.compile(module.f, p, options=ab.Options(executor="vm"))
    except ab.ModelError as error:
        assert error.errors[0].code in REFUSED, f"seed {seed}: {error}\n{source}"
        return "refused"
    try:
        expected = [module.f(p, x) for x in instances]
    except (IndexError, OverflowError, RecursionError):
        return "an error of the program's"
    got = fast([module.X(list(words)) for words in WORDS])
    for one, other in zip(got, expected, strict=True):
        for a, b in zip(one, other, strict=True):
            assert np.shape(a) == np.shape(b), f"seed {seed}: {a} for {b}\n{source}"
            np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-4, err_msg=f"{seed}\n{source}")
    # Nothing that the program may change is the instance's.
    assert [list(x.words) for x in instances] == [list(w) for w in WORDS], f"seed {seed}\n{source}"
    return "the same"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("first", range(0, 80, 20))
def test_refused_or_the_same(first: int, tmp_path: Path) -> None:
    endings = Counter(attempt(seed, tmp_path) for seed in range(first, first + 20))
    assert endings["the same"] >= 1, endings


if __name__ == "__main__":
    bounds = int(sys.argv[1]), int(sys.argv[2])
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(*bounds):
            try:
                found[attempt(seed, Path(folder))] += 1
            except Exception as error:
                found[type(error).__name__] += 1
                print(f"seed {seed}: {str(error)[:2000]}")
    print(dict(found))
