"""Each table and figure names a configuration that measures what it shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.config import cells, load_config
from plots.configuration import configuration_of
from plots.shown import SHOWN, Shown

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("shown", SHOWN, ids=lambda s: s.file)
def test_the_configuration_has_its_systems(shown: Shown) -> None:
    config = load_config(ROOT / configuration_of(shown.code))
    measured = {system for cell in cells(config) for system, _ in cell.systems}
    assert not shown.systems or measured & set(shown.systems)
    variants = {v for cell in cells(config) for s, v in cell.systems if s == "acrobat"}
    assert shown.code != "T7" or "executor=vm" in variants
    assert shown.code != "T8" or {"autoschedule=off", "tune=60", "tune=60,pgo=off"} <= variants


def test_no_such_code() -> None:
    assert configuration_of("F3") == "config/scaling.yaml"
    with pytest.raises(ValueError) as error:
        configuration_of("F99")
    assert str(error.value).startswith("there is no F99; the report has T1, T2, ")
