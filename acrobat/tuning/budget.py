"""Where tuning time goes: to kernels by their share of a mini-batch's time, as the paper does, or
the same to each."""

from __future__ import annotations

from collections.abc import Sequence

# Kernels of less time than that get none by a profile: nobody would see what they gain.
_LEAST_SHARE = 0.005


def next_seconds(left: float, shares: Sequence[float], by_profile: bool) -> float:
    """What the first of the kernels that are still to come gets of the seconds that are `left`;
    `shares` are theirs of a mini-batch's time. What it does not use stays for the others."""
    if not by_profile:
        return max(left, 0.0) / len(shares)
    if shares[0] < _LEAST_SHARE:
        return 0.0
    return max(left, 0.0) * shares[0] / sum(s for s in shares if s >= _LEAST_SHARE)
