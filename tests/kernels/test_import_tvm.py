"""TVM is imported without PyTorch, and both go together afterwards."""

from __future__ import annotations

import subprocess
import sys
import threading
from types import ModuleType

import pytest

from acrobat.kernels.printers.cpu.import_tvm import without_torch

PROGRAM = """
import sys
{first}
from acrobat.kernels.printers.cpu.compile import object_file
from acrobat.kernels.printers.cpu.import_tvm import import_tvm
from acrobat.kernels.printers.cpu.target import host_target

SOURCE = '''@T.prim_func
def main(out_: T.handle('float32'), n: T.int64):
    T.func_attr({{'global_symbol': 'double', 'tirx.noalias': True}})
    out = T.decl_buffer((T.int64(64),), 'float32', data=out_)
    for row in T.serial(n):
        out[row] = out[row] + out[row]
'''
code = object_file({{"double": SOURCE}}, host_target())
assert ("torch" in sys.modules) is {expected}, "torch" in sys.modules
assert import_tvm() is sys.modules["tvm"]

import torch

x = torch.arange(3.0)
assert (x @ x).item() == 5.0
assert object_file({{"double": SOURCE}}, host_target()) == code
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "expected"), [("", False), ("import torch", True)], ids=["alone", "behind it"]
)
def test_pytorch_is_there_only_if_it_was_before(first: str, expected: bool) -> None:
    pytest.importorskip("torch")
    program = PROGRAM.format(first=first, expected=expected)
    subprocess.run([sys.executable, "-c", program], check=True)


def test_another_thread_finds_pytorch_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that imports TVM does not."""
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    asked: list[str] = []

    class Finder:
        """In the place of PyTorch's."""

        @staticmethod
        def find_spec(name: str, path: object, target: ModuleType | None = None) -> None:
            asked.append(name)

    def look() -> None:
        with pytest.raises(ImportError, match="No module named 'torch'"):
            __import__("torch")

    monkeypatch.setattr(sys, "meta_path", [Finder])
    with without_torch():
        with pytest.raises(ImportError, match="TVM is imported without PyTorch"):
            __import__("torch")
        assert not asked
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
    assert asked == ["torch"]
    look()
    assert asked == ["torch", "torch"] and sys.meta_path == [Finder]


LOADS = """
import ctypes

try:
    ctypes.CDLL("libcuda.so.1")
except OSError:
    pass
else:
    raise SystemExit(77)

failed = []

class Recorded(ctypes.CDLL):
    def __init__(self, name, *args, **options):
        try:
            super().__init__(name, *args, **options)
        except OSError:
            failed.append(name)
            raise

ctypes.CDLL = Recorded
from acrobat.kernels.printers.cpu.import_tvm import import_tvm
import_tvm()
from tvm_ffi import libinfo
assert libinfo.load_lib_ctypes.__name__ == "load_lib_ctypes"
assert failed == ["libcuda.so.1"], failed
"""


def test_no_library_is_loaded_in_vain() -> None:
    """The driver's name is looked up and not found, which takes no index of thread-local variables;
    a library that is found and cannot be loaded takes one, which glibc does not survive at the end
    of a block of them."""
    done = subprocess.run([sys.executable, "-c", LOADS], check=False, capture_output=True)
    if done.returncode == 77:
        pytest.skip("there is a driver of CUDA here")
    assert done.returncode == 0, done.stderr.decode()
