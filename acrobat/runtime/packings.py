"""How weights lie in memory for a program: packed for kernels, and as tables read by row."""

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

# The names of the weights that a table is made from, and the function that makes it from them, in
# the array that was made before, if any.
Packing = tuple[Sequence[str], Callable[[Mapping[str, np.ndarray], np.ndarray | None], np.ndarray]]


def of_kernels(layout: Layout) -> Iterator[tuple[Sequence[str], Packer]]:
    """Yield the packings of every kernel: of its weights and of its vectors."""
    for k in layout.kernels:
        yield k.weights, weight_packer(k.spec, k.schedule)
        yield k.vectors, VectorPacker(k.spec, k.schedule)


def of_tables(layout: Layout, in_place: bool) -> Iterator[Packing]:
    """Yield the tables that kernels read by row, then the packed copies of those whose rows are
    matrices, kernel by kernel. A table that is only read in packed form is not kept twice."""
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
    """Return a copy with room after it, because kernels read up to a vector past a row."""
    array = weights[name]
    check_table(name, array)
    padded = aligned(array.size + ALIGN) if out is None else out
    padded[: array.size] = array.ravel()
    return padded


def _table_in_place(
    name: str, weights: Mapping[str, np.ndarray], out: np.ndarray | None
) -> np.ndarray:
    """Return the table itself if a vector past its end can be read, being in the same page; else a
    copy."""
    array = weights[name]
    end = array.ctypes.data + array.nbytes
    fits = (end - 1) // mmap.PAGESIZE == (end + 4 * ALIGN - 1) // mmap.PAGESIZE
    if fits and array.flags.c_contiguous and array.dtype == np.float32:
        check_table(name, array)
        return array.reshape(-1)
    own = out if out is not None and out.size == array.size + ALIGN else None
    return _table(name, weights, own)


def check_table(name: str, array: np.ndarray) -> None:
    """Raise a CapacityError if a weight that is read by row is larger than offsets can address."""
    if array.size >= TABLE_FLOATS:
        raise CapacityError(
            f"{name} has {array.size} elements; a weight that is read by row may have 2^31"
        )
