"""What a call did, as the run-time records it for `fast.trace`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from .profile import Profile
from .structures import TRACE

ACTIVITIES: Final = (
    "kernels",
    "control flow",
    "scheduling",
    "gather copies",
    "weight gradients",
)

Records = np.ndarray[Any, np.dtype[np.void]]


@dataclass(frozen=True, slots=True, eq=False)
class WatchedCall:
    """The arrays of `acrobat::Trace` (schedule/trace.h), whose fields `structures.TRACE` names.

    `nodes`: in order of creation, the instance that recorded each node and the batch it ran in.
    `batches`: in order. `spans`: what threads did, in nanoseconds since the call began; their
    activity is an index into ACTIVITIES. There are none for the kernels of a GPU. `waits`: which
    instances waited for which computation (all batches between two decisions)."""

    profile: Profile
    instances: int
    nodes: Records
    batches: Records
    spans: Records
    waits: Records


def from_bytes(profile: Profile, instances: int, arrays: tuple[bytes, ...]) -> WatchedCall:
    """Make a WatchedCall from the bytes of its four arrays."""
    found = [np.frombuffer(a, dtype=t) for a, t in zip(arrays, TRACE.values(), strict=True)]
    return WatchedCall(profile, instances, *found)
