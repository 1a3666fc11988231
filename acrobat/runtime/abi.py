"""Check that a compiled library fits this process: by a version, the sizes of the structures on its
borders, and the limits that tables are built for (runtime/include/acrobat/abi.h).

There are two borders: between the generated program and the run-time that it is linked with, which
were compiled separately, and between the run-time and Python. A difference at either would mean
that memory is misread, so it is detected before anything else is called.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from ..errors import ToolchainError
from ..limits import CPP_NAMES
from .structures import TRACE, BlockCounts, RawProfile

# Counts changes in the meaning of functions or fields that no size shows; `kAbiVersion` in abi.h.
ABI_VERSION: Final = 3

Numbers = Mapping[str, int]


def check_abi(
    library: ctypes.PyDLL, path: Path, structures: Mapping[str, type[ctypes.Structure]]
) -> None:
    """Raise a ToolchainError if the library's parts, or the library and this package, disagree.
    `structures` are those that the caller passes besides the profile, by their names in C++."""
    try:
        function = library.acrobat_abi
    except AttributeError:
        raise _misfit(path, "it does not say which version of the run-time it has") from None
    function.restype, function.argtypes = ctypes.py_object, ()
    parts: dict[str, dict[str, int]] = function()
    passed: dict[str, type[ctypes.Structure]] = {"Profile": RawProfile, "BlockCounts": BlockCounts}
    passed |= structures
    python = {"version": ABI_VERSION, **CPP_NAMES}
    python |= {name: ctypes.sizeof(s) for name, s in passed.items()}
    python |= {name: items.itemsize for name, items in TRACE.items()}
    runtime = parts["run-time"]
    for other, numbers in (("generated program", parts["program"]), ("Python package", python)):
        for name in numbers:
            if runtime.get(name) != numbers[name]:
                have = runtime.get(name, "not there")
                raise _misfit(
                    path, f"{name} is {have} in its run-time and {numbers[name]} in the {other}"
                )


def _misfit(path: Path, what: str) -> ToolchainError:
    return ToolchainError(
        f"{path.name} was built by another version of acrobat: {what}. Delete {path.parent}, where "
        f"compiled programs are kept, and compile again; if that does not help, files of two "
        f"versions are installed: reinstall acrobat"
    )
