"""Needs that cannot be met are errors before memory is touched."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from acrobat.aot.build import INCLUDE, SOURCES
from acrobat.aot.toolchain import find_compiler

PROGRAM = """
#include <cstdio>
#include "acrobat/errors.h"
#include "acrobat/memory.h"
void attempt(int64_t limit, int64_t bytes) {
  try {
    acrobat::Budget budget(limit);
    acrobat::take_memory(int64_t{1} << 20, "little");
    acrobat::take_memory(int64_t{65} << 20, "what a machine has");
    acrobat::take_memory(bytes, "its tensors");
  } catch (const acrobat::CapacityError& e) {
    std::puts(e.what());
  }
}
int main() {
  attempt(0, int64_t{1} << 50);
  attempt(int64_t{100} << 20, int64_t{40} << 20);
  acrobat::take_memory(int64_t{1} << 50, "nobody's call");
}
"""


@pytest.mark.slow
def test_more_than_is_free_or_allowed(tmp_path: Path) -> None:
    source, program = tmp_path / "main.cc", tmp_path / "main"
    source.write_text(PROGRAM)
    compiler, _ = find_compiler()
    files = [str(source), str(SOURCES / "memory.cc"), "-o", str(program)]
    subprocess.run([compiler, "-std=c++20", f"-I{INCLUDE}", *files], check=True)
    told = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    free, allowed = told.splitlines()
    assert re.fullmatch(
        r"the mini-batch needs 1073741824 MiB more for its tensors, and \d+ MiB are free; pass "
        r"fewer instances per call, or see whether every loop and recursion of the model ends",
        free,
    )
    assert allowed == (
        "the mini-batch needs more than the 100 MiB that Options.memory_mb allows, the last of it "
        "for its tensors; pass fewer instances per call, see whether every loop and recursion of "
        "the model ends, or raise the option"
    )
