"""Where tuning time goes: to kernels by their share of a mini-batch's time, as in the paper, or the
same to each."""

from __future__ import annotations

from collections.abc import Sequence

# With a profile, kernels with a smaller share get no time: nobody would notice their gain.
_LEAST_SHARE = 0.005


def next_seconds(left: float, shares: Sequence[float], by_profile: bool) -> float:
    """The part of the `left` seconds that the first of the remaining kernels gets; `shares` are the
    remaining kernels' shares of a mini-batch's time. Seconds that it does not use stay for the
    others."""
    if not by_profile:
        return max(left, 0.0) / len(shares)
    if shares[0] < _LEAST_SHARE:
        return 0.0
    return max(left, 0.0) * shares[0] / sum(s for s in shares if s >= _LEAST_SHARE)
