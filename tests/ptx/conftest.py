"""The mock driver and the families of kernels, whose modules import each other by bare names."""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS / "kernels"), str(TESTS / "runtime" / "cuda"), str(TESTS / "programs")]
