"""Text of whatever a pass makes, and its check."""

from __future__ import annotations

from ..ir import batched as B
from ..ir import typed as T
from ..ir.batched_verify import verify_batched
from ..ir.printer import print_batched, print_typed
from ..ir.typed_verify import Verified, verify_typed
from ..kernels.specification.printer import print_plan
from ..kernels.specification.verify import verify_plan
from .records import Product


def text_of(product: Product) -> str:
    """A module or kernel specifications as text."""
    if isinstance(product, T.Module):
        return print_typed(product)
    if isinstance(product, B.Module):
        return print_batched(product)
    return "\n".join(map(print_plan, product))


def verify(product: Product, known: dict[str, Verified]) -> None:
    """CompilerBug if a module, or a kernel specification, breaks an invariant. `known`: functions
    of the typed IR that earlier passes of the same compilation have left as they are."""
    if isinstance(product, T.Module):
        verify_typed(product, known)
    elif isinstance(product, B.Module):
        verify_batched(product)
    else:
        for plan in product:
            verify_plan(plan)
