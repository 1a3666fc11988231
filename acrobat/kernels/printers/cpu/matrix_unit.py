"""Contractions in the CPU's matrix unit (AMX): a row tile's products as tiles of bfloat16.

A row tile is rounded to bfloat16 once per column block, into a buffer [term][row][k] padded with
zeros to a multiple of 32 k, like the packed weights. Then tiles of R rows x 32 k are multiplied by
tiles of 32 k x one vector of columns. Within a tile the unit sums the even k and the odd k, and
adds both to the sums of the tiles before, in float32: a row's sum depends neither on R nor on other
rows. Subnormal numbers count as zeros. The sums go to memory, where the epilogue reads them.

Every call configures the unit and releases it at the end: any thread may make the call, and tiles
that are not released are saved at every context switch.
"""

from __future__ import annotations

import struct

from ...specification.spec import KernelSpec, Term
from ..text import Text
from .access import Access, int64, total
from .stored_weights import stored
from .template import Template, inputs_of

# How many of the eight tiles hold sums; the next two hold rows and weights.
_SUMS = 6
_ROWS, _WEIGHTS = _SUMS, _SUMS + 1
_TILE_K = 32  # k of a tile: 64 bytes of bfloat16
_ROUNDED = 16  # numbers that are rounded together


def begin(text: Text, spec: KernelSpec, template: Template, r: int) -> None:
    """Begin a call with tiles of `r` rows: configure the unit, and clear the padding of the rounded
    rows."""
    config = _configuration(r, template.lanes)
    text("config = T.alloc_buffer((T.int64(16),), 'int32', scope='local')")
    for i, word in enumerate(config):
        text(f"config[{int64(i)}] = T.int32({word})")
    text(_call("ldtilecfg", "T.address_of(config[T.int64(0)])"))
    places, size = _places(spec, r)
    text(f"rounded = T.alloc_buffer(({int64(size)},), 'uint16', scope='local')")
    text(f"bits = T.alloc_buffer(({int64(_ROUNDED)},), 'int32', scope='local')")
    for term, start in places.values():
        k, padded = term.k, _padded(term.k)
        if k == padded:
            continue
        text(f"for r in T.serial({int64(r)}):")
        text(f"    for l in T.serial({int64(padded - k)}):")
        text(f"        rounded[{int64(start + k)} + r * {int64(padded)} + l] = T.uint16(0)")


def end(text: Text) -> None:
    """End a call: release the unit."""
    text(_call("tilerelease"))


def products(
    text: Text, access: Access, template: Template, r: int, block: str, offsets: list[list[int]]
) -> None:
    """Compute the sums of all gates of a row tile, into a<gate>_<vector>. The packed weights of the
    column block begin at `block`, those of each gate's terms at `offsets` from it, in elements."""
    spec = access.spec
    places, _ = _places(spec, r)
    for term, start in places.values():
        _round(text, access, r, term, start)
    for accumulators in _passes(spec, template):
        for tile in range(len(accumulators)):
            text(_call("tilezero", _tile(tile)))
        terms = spec.gates[accumulators[0][0]].terms
        for t, (term, inputs) in enumerate(
            zip(terms, inputs_of(spec.gates[accumulators[0][0]]), strict=True)
        ):
            start, padded = places[inputs][1], _padded(term.k)
            text(f"for k in T.serial({int64(padded // _TILE_K)}):")
            text.depth += 1
            at = f"rounded[{total(int64(start), f'k * {int64(_TILE_K)}')}]"
            text(_call("tileloadd64", _tile(_ROWS), f"T.address_of({at})", int64(2 * padded)))
            for tile, (g, j) in enumerate(accumulators):
                first = int64(offsets[g][t] + j * template.lanes)
                # Elements have two k each.
                step = f"k * {int64(_TILE_K // stored(spec).step * template.jv)}"
                weights = f"T.address_of(w[{total(block, first, step)}])"
                stride = int64(4 * template.jv)
                text(_call("tileloadd64", _tile(_WEIGHTS), weights, stride))
                text(_call("tdpbf16ps", _tile(tile), _tile(_ROWS), _tile(_WEIGHTS)))
            text.depth -= 1
        for tile, (g, j) in enumerate(accumulators):
            to = f"T.address_of(a{g}_{j}[T.int64(0), T.int64(0)])"
            text(_call("tilestored64", _tile(tile), to, int64(4 * template.lanes)))


def _passes(spec: KernelSpec, template: Template) -> list[list[tuple[int, int]]]:
    """The accumulators (gate, vector) of each pass over k: gates with the same inputs share passes,
    which have at most as many accumulators as there are tiles for sums."""
    found: list[list[tuple[int, int]]] = []
    for g, gate in enumerate(spec.gates):
        for j in range(template.vectors):
            last = found[-1] if found else []
            same = last and inputs_of(spec.gates[last[0][0]]) == inputs_of(gate)
            if same and len(last) < _SUMS:
                last.append((g, j))
            else:
                found.append([(g, j)])
    return found


def _places(spec: KernelSpec, r: int) -> tuple[dict[tuple[int, ...], tuple[Term, int]], int]:
    """Where the rounded rows of every input begin, and how many numbers there are in all."""
    found: dict[tuple[int, ...], tuple[Term, int]] = {}
    size = 0
    for gate in spec.gates:
        for term, inputs in zip(gate.terms, inputs_of(gate), strict=True):
            if inputs not in found:
                found[inputs] = term, size
                size += r * _padded(term.k)
    return found, size


def _round(text: Text, access: Access, r: int, term: Term, start: int) -> None:
    """Round the rows of a term to nearest, ties to even."""
    padded, whole = _padded(term.k), term.k // _ROUNDED
    text(f"for r in T.serial({int64(r)}):")
    text.depth += 1
    to = f"{int64(start)} + r * {int64(padded)}"

    def numbers(k: str, loop: str) -> None:
        x = access.left(term, k, "r")
        text(loop)
        text(f"    bits[l] = T.reinterpret('int32', {x})")
        text(loop)
        text(f"    rounded[{total(to, k)}] = {_BF16}")

    if whole:
        text(f"for n in T.serial({int64(whole)}):")
        text.depth += 1
        numbers(f"(n * {int64(_ROUNDED)} + l)", f"for l in T.vectorized({int64(_ROUNDED)}):")
        text.depth -= 1
    if term.k % _ROUNDED:
        loop = f"for l in T.serial({int64(term.k % _ROUNDED)}):"
        numbers(f"({int64(whole * _ROUNDED)} + l)", loop)
    text.depth -= 1


# Half a unit of the bits that are kept is added, or just less if these are even; NaN stays NaN.
_UPPER = "T.shift_right(bits[l], T.int32(16))"
_HALF = f"T.int32(32767) + T.bitwise_and({_UPPER}, T.int32(1))"
_BF16 = (
    "T.Cast('uint16', T.Select("
    "T.bitwise_and(bits[l], T.int32(2147483647)) > T.int32(2139095040), "
    f"T.bitwise_or({_UPPER}, T.int32(64)), "
    f"T.shift_right(bits[l] + ({_HALF}), T.int32(16))))"
)


def _padded(k: int) -> int:
    return -(-k // _TILE_K) * _TILE_K


def _configuration(r: int, lanes: int) -> tuple[int, ...]:
    """The 64 bytes that configure the unit, as 16 words: bytes per row and rows of each tile."""
    bytes_of_row = [4 * lanes] * _SUMS + [64, 4 * lanes]
    rows = [r] * (_SUMS + 1) + [16]
    config = struct.pack("<B15x8H16x8B8x", 1, *bytes_of_row, *rows)
    return struct.unpack("<16i", config)


def _tile(number: int) -> str:
    return f"T.int8({number})"


def _call(name: str, *arguments: str) -> str:
    """A statement that calls an intrinsic of LLVM."""
    all_arguments = ", ".join(["'void'", f"'llvm.x86.{name}'", *arguments])
    return f"T.evaluate(T.call_llvm_intrin({all_arguments}))"
