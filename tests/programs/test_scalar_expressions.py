"""Random expressions on numbers: compiled and interpreted programs give what Python gives, to the
bit and with the sign of zeros, or an error where Python's integers leave 64 bits."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.random_expressions import try_expressions

# Compiled kernels are those of the other executor.
pytestmark = pytest.mark.usefixtures("interpreted_kernels")


@pytest.mark.slow
@pytest.mark.parametrize("executor", ["aot", "vm"])
def test_expressions_are_python_s(executor: str, tmp_path: Path) -> None:
    assert try_expressions(1, tmp_path, executor) == 720
