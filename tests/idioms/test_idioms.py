"""Every idiom is accepted and agrees with plain Python, or is refused with a remedy that does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import acrobat as ab

from .agreement import compare, load_idiom, plain_results
from .cases import Idiom, read_idioms

IDIOMS = read_idioms()


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize(
    "idiom", [i for i in IDIOMS if i.accepted], ids=lambda i: f"{i.subject}: {i.name}"
)
def test_accepted(idiom: Idiom, tmp_path: Path) -> None:
    module = load_idiom(idiom, tmp_path)
    compare(module, plain_results(module), executor="vm")


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize(
    "idiom", [i for i in IDIOMS if not i.accepted], ids=lambda i: f"{i.subject}: {i.name}"
)
def test_refused(idiom: Idiom, tmp_path: Path) -> None:
    with pytest.raises(ab.ModelError) as caught:
        module = load_idiom(idiom, tmp_path)
        ab.compile(module.f, module.WEIGHTS, options=ab.Options(executor="vm"))
    assert caught.value.code == idiom.code
    text = re.sub(r'  File ".*?", line \d+\n', "", caught.value.render())
    assert text.strip() == (idiom.message or "").strip()
    (tmp_path / "remedy").mkdir()
    module = load_idiom(idiom, tmp_path / "remedy", remedy=True)
    compare(module, plain_results(module), executor="vm")
