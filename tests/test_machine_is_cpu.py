"""Tests that name no target run on the CPU, whatever the machine has."""

from __future__ import annotations

import subprocess
import sys

import pytest

import acrobat as ab
from acrobat.runtime.gpu import find_gpu
from acrobat.targets import choose_target

_ASK = "from acrobat.targets import choose_target; from acrobat import Options; "
_ASK += "print(choose_target('auto', Options()))"


def test_no_gpu_is_found() -> None:
    with pytest.raises(ab.DeviceError) as info:
        find_gpu()
    assert str(info.value) == (
        "there is no NVIDIA driver: /nowhere/libcuda.so.1: cannot open shared object file: "
        "No such file or directory"
    )
    assert choose_target("auto", ab.Options()) == "cpu"


def test_processes_find_none_either() -> None:
    done = subprocess.run([sys.executable, "-c", _ASK], capture_output=True, text=True, check=True)
    assert done.stdout == "cpu\n"
