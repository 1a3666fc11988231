"""A machine with a GPU needs neither TVM nor PyTorch."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runtime.cuda.mock_gpu import build_driver

PROGRAM = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("tvm", "tvm_ffi", "torch"):
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Blocked())

import acrobat as ab
import workloads
from workloads.data.source import TreeSource

workload = workloads.get("treelstm")
params = workload.make_params("tiny", 0, TreeSource(None))
fast = ab.compile(workload.model, params, target="cuda")
assert fast.target == "cuda"
assert "@triton.jit" in fast.ir("kernels") and "warps" in fast.explain()
print(sorted(m for m in sys.modules if m.split(".")[0] in ("tvm", "tvm_ffi", "torch")))
"""


@pytest.mark.slow
def test_compiling_for_a_gpu_imports_neither() -> None:
    """With the real code generator; the mock driver takes its machine code."""
    pytest.importorskip("triton")
    root = Path(__file__).resolve().parents[3]
    env = os.environ | {"PYTHONPATH": str(root), "ACROBAT_LIBCUDA": str(build_driver())}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=env, cwd=root, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr
