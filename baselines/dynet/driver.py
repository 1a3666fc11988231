"""The sources of our driver for DyNet, which the builds for CPU and GPU compile."""

from __future__ import annotations

from pathlib import Path

from acrobat.cache import cache_dir, content_hash, is_cached

DRIVER = Path(__file__).with_name("cpp")


def driver_files() -> list[Path]:
    """The files from which the driver is compiled."""
    return sorted(DRIVER.glob("*.cc"))


def driver_key() -> str:
    """The hash of the driver's sources."""
    return content_hash(p.read_text() for p in sorted(DRIVER.iterdir()))


def built_files(library: str, driver: str) -> tuple[Path, Path] | None:
    """DyNet's library and the driver in the cache, found by their keys; None if one is missing."""
    if not (is_cached("dynet", library, ".so") and is_cached("dynet", driver, ".so")):
        return None
    folder = cache_dir() / "dynet"
    return folder / f"{library}.so", folder / f"{driver}.so"
