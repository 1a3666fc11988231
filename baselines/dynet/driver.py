"""The sources of our driver of DyNet, which both builds compile."""

from __future__ import annotations

from pathlib import Path

from acrobat.cache import cache_dir, content_hash, is_cached

DRIVER = Path(__file__).with_name("cpp")


def driver_files() -> list[Path]:
    """What the driver is compiled from."""
    return sorted(DRIVER.glob("*.cc"))


def driver_key() -> str:
    """The hash of the driver's sources."""
    return content_hash(p.read_text() for p in sorted(DRIVER.iterdir()))


def built_files(library: str, driver: str) -> tuple[Path, Path] | None:
    """DyNet's library and the driver in the cache, by their keys, if both are there."""
    if not (is_cached("dynet", library, ".so") and is_cached("dynet", driver, ".so")):
        return None
    folder = cache_dir() / "dynet"
    return folder / f"{library}.so", folder / f"{driver}.so"
