"""The energy counters of a CPU's sockets (RAPL), as Linux shows them below /sys/class/powercap.

Intel and AMD have them. Since 2020 only root can read them by default, because they reveal what
others compute; virtual machines have none.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

POWERCAP = Path("/sys/class/powercap")


def socket_counter(powercap: Path = POWERCAP) -> Callable[[], float | None] | None:
    """A counter of the joules that all sockets and their memory have used since the first reading.
    None if the machine has no such counters or does not permit reading them."""
    zones = [z for z in sorted(powercap.glob("intel-rapl:*")) if _counts(z)]
    # At least one socket must be counted; memory alone is not a CPU.
    if not any(_name(z).startswith("package") for z in zones):
        return None
    try:
        last = [_microjoules(z) for z in zones]
        # A counter wraps around after this much energy, tens of minutes at full power.
        ends = [int((z / "max_energy_range_uj").read_text()) for z in zones]
    except OSError:
        return None
    total = 0.0

    def joules() -> float | None:
        nonlocal total
        try:
            now = [_microjoules(z) for z in zones]
        except OSError:
            return None
        for i, end in enumerate(ends):
            used = now[i] - last[i]
            total += used if used >= 0 else used + end
            last[i] = now[i]
        return total / 1e6

    return joules


def _counts(zone: Path) -> bool:
    """Whether the zone is a socket or its memory. Other zones are parts of a socket (core, uncore)
    or contain sockets (psys)."""
    return _name(zone).startswith(("package", "dram"))


def _name(zone: Path) -> str:
    try:
        return (zone / "name").read_text().strip()
    except OSError:
        return ""


def _microjoules(zone: Path) -> int:
    return int((zone / "energy_uj").read_text())
