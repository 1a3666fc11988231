"""Where kernels find their operands, as C++."""

from __future__ import annotations

from collections.abc import Sequence

from ..layout import OperandSource


def source_list(sources: Sequence[OperandSource]) -> str:
    """The number of a kernel's operands, and an initialiser for the array of their sources."""
    texts = [f"{{{s.argument}, {s.table}, {s.start}}}" for s in sources]
    return f"{len(texts)}, {{{', '.join(texts)}}}"
