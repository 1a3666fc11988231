"""Models that are tried with the interpreter's kernels as they are specified, without compiling."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import acrobat.vm.program
from acrobat.vm.reference_kernels import ReferenceKernels


@contextmanager
def reference_kernels() -> Iterator[None]:
    """What is compiled with `executor="vm"` has these kernels, also when it runs later."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(acrobat.vm.program, "Kernels", ReferenceKernels)
        yield
