"""The sources of our driver of DyNet, which both builds compile."""

from __future__ import annotations

from pathlib import Path

from acrobat.cache import content_hash

DRIVER = Path(__file__).with_name("cpp")


def driver_files() -> list[Path]:
    """What the driver is compiled from."""
    return sorted(DRIVER.glob("*.cc"))


def driver_key() -> str:
    """The hash of the driver's sources."""
    return content_hash(p.read_text() for p in sorted(DRIVER.iterdir()))
