"""How weights lie in memory as a program reads them: packed for kernels, and tables by row."""

from __future__ import annotations

import functools
import mmap
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from ..errors import CapacityError
from ..kernels.printers.cpu.pack import (
    Packer,
    VectorPacker,
    aligned,
    pack_table,
    packed_operands,
    weight_packer,
)
from ..layout import KernelLayout, Layout
from ..limits import ALIGN, TABLE_FLOATS

# The names of the weights that a table is made of, and how: of the weights, in the array that they
# were brought into before, if there is one.
Packing = tuple[Sequence[str], Callable[[Mapping[str, np.ndarray], np.ndarray | None], np.ndarray]]


def of_kernels(layout: Layout) -> Iterator[tuple[Sequence[str], Packer]]:
    """Of every kernel, its weights and its vectors."""
    for k in layout.kernels:
        yield k.weights, weight_packer(k.spec, k.schedule)
        yield k.vectors, VectorPacker(k.spec, k.schedule)


def of_tables(layout: Layout, in_place: bool) -> Iterator[Packing]:
    """The tables that kernels read by row, then the packed copies of those whose rows are
    matrices, kernel by kernel. What is read as packed alone is not there twice."""
    copies: list[Packing] = []
    as_they_are: set[int] = set()
    for kernel in layout.kernels:
        spec, packed = kernel.spec, packed_operands(kernel.spec)
        for operand, source in zip(spec.indexed, kernel.sources, strict=True):
            if operand not in packed:
                as_they_are.add(source.table)
        for operand in packed:
            name = layout.tables[kernel.sources[spec.indexed.index(operand)].table]
            copies.append(((name,), functools.partial(_packed_table, kernel, operand, name)))
    for n, name in enumerate(layout.tables):
        if n in as_they_are:
            table = _table_in_place if in_place else _table
            yield (name,), functools.partial(table, name)
        else:
            yield (), lambda weights, out: aligned(ALIGN) if out is None else out
    yield from copies


def _packed_table(
    kernel: KernelLayout,
    operand: int,
    name: str,
    weights: Mapping[str, np.ndarray],
    out: np.ndarray | None,
) -> np.ndarray:
    check_table(name, weights[name])
    packed = pack_table(kernel.spec, operand, weights[name], kernel.schedule)
    if out is None:
        return packed
    out[:] = packed
    return out


def _table(name: str, weights: Mapping[str, np.ndarray], out: np.ndarray | None) -> np.ndarray:
    """A copy with room behind it, for kernels read up to a vector past a row."""
    array = weights[name]
    check_table(name, array)
    padded = aligned(array.size + ALIGN) if out is None else out
    padded[: array.size] = array.ravel()
    return padded


def _table_in_place(
    name: str, weights: Mapping[str, np.ndarray], out: np.ndarray | None
) -> np.ndarray:
    """The table itself, if what is behind it can be read: it ends in the same page."""
    array = weights[name]
    end = array.ctypes.data + array.nbytes
    fits = (end - 1) // mmap.PAGESIZE == (end + 4 * ALIGN - 1) // mmap.PAGESIZE
    if fits and array.flags.c_contiguous and array.dtype == np.float32:
        check_table(name, array)
        return array.reshape(-1)
    own = out if out is not None and out.size == array.size + ALIGN else None
    return _table(name, weights, own)


def check_table(name: str, array: np.ndarray) -> None:
    """CapacityError if a weight that is read by row is larger than offsets can address."""
    if array.size >= TABLE_FLOATS:
        raise CapacityError(
            f"{name} has {array.size} elements; a weight that is read by row may have 2^31"
        )
