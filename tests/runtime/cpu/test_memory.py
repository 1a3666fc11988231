"""Needs that cannot be met are errors before memory is touched."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from acrobat.aot.build import INCLUDE, SOURCES
from acrobat.aot.toolchain import find_compiler

PROGRAM = """
#include <cstdio>
#include "acrobat/schedule/arena.h"
int main() {
  acrobat::require_memory(int64_t{1} << 20, "little");
  acrobat::require_memory(int64_t{65} << 20, "what a machine has");
  try {
    acrobat::require_memory(int64_t{1} << 50, "its tensors");
  } catch (const acrobat::CapacityError& e) {
    std::puts(e.what());
  }
}
"""


def test_more_than_is_free(tmp_path: Path) -> None:
    source, program = tmp_path / "main.cc", tmp_path / "main"
    source.write_text(PROGRAM)
    compiler, _ = find_compiler()
    command = [compiler, "-std=c++20", f"-I{INCLUDE}", source, SOURCES / "memory.cc", "-o", program]
    subprocess.run(command, check=True)
    told = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    assert re.fullmatch(
        r"the mini-batch needs 1073741824 MiB more for its tensors, and \d+ MiB are free; "
        r"pass fewer instances per call\n",
        told,
    )
