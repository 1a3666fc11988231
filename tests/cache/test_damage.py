"""Whatever happens to a cached file, it is used as it was built, or built again."""

from __future__ import annotations

import os
import shutil
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

from acrobat.cache import cached_file, is_cached, rebuild_damaged, store, verified
from acrobat.cache.seal import DamagedFile, seal_of

CONTENTS = bytes(range(256)) * 40


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def replace(path: Path, make: Callable[[], None]) -> None:
    path.unlink()
    make()


def of_another(path: Path) -> None:
    """The file, or the seal, of another key."""
    cached_file("kind", "other", ".so", lambda p: _write(p, CONTENTS[::-1]))
    other = path.with_name(path.name.replace("key", "other"))
    shutil.copy(other, path)


def both_of_another(path: Path) -> None:
    """A file that is sound where it belongs, with its seal."""
    file = path.with_name("key.so")
    of_another(file)
    of_another(seal_of(file))


DAMAGE: dict[str, Callable[[Path], None]] = {
    **{f"cut at {n}": lambda p, n=n: os.truncate(p, n) for n in (0, 1, 30, 60)},  # type: ignore[misc]
    "cut in the middle": lambda p: os.truncate(p, p.stat().st_size // 2),
    "cut by one": lambda p: os.truncate(p, p.stat().st_size - 1),
    "longer by one": lambda p: _write(p, p.read_bytes() + b"\0"),
    "much longer": lambda p: os.truncate(p, 1 << 40),
    "zeros": lambda p: _write(p, bytes(p.stat().st_size)),
    "noise": lambda p: _write(p, os.urandom(p.stat().st_size)),
    "text": lambda p: _write(p, b"not this\n"),
    **{f"a bit at {n}": lambda p, n=n: flip(p, n) for n in (0, 16, 40)},  # type: ignore[misc]
    "the last bit": lambda p: flip(p, -1),
    "gone": lambda p: p.unlink(),
    "a folder": lambda p: replace(p, p.mkdir),
    "a folder with files": lambda p: replace(p, lambda: (p / "a" / "b").mkdir(parents=True)),
    "a link to nothing": lambda p: replace(p, lambda: p.symlink_to("nothing")),
    "a link to itself": lambda p: replace(p, lambda: p.symlink_to(p)),
    "a link to what it was": lambda p: p.symlink_to(p.rename(p.with_name("moved"))),
    "a link to a device": lambda p: replace(p, lambda: p.symlink_to("/dev/zero")),
    "a pipe": lambda p: replace(p, lambda: os.mkfifo(p)),
    "not readable": lambda p: p.chmod(0),
    "writable by all": lambda p: p.chmod(0o666),
    "of another key": of_another,
    "both of another key": both_of_another,
}


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(data)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ACROBAT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def use(check: bool) -> bytes:
    """The contents of a file, as a compilation takes them."""

    def build() -> bytes:
        path, _ = cached_file("kind", "key", ".so", lambda p: _write(p, CONTENTS), check=check)
        return verified(path)

    return rebuild_damaged(build)


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("what", ["file", "seal"])
@pytest.mark.parametrize("damage", DAMAGE)
def test_what_is_damaged_is_built_again(damage: str, what: str, check: bool, cache: Path) -> None:
    assert use(check) == CONTENTS
    path = cache / "kind" / "key.so"
    before = threading.active_count()
    DAMAGE[damage](path if what == "file" else seal_of(path))
    assert use(check) == CONTENTS
    made = path.stat()
    # It is as it was, and stays.
    assert stat.S_ISREG(path.lstat().st_mode) and path.read_bytes() == CONTENTS
    assert is_cached("kind", "key", ".so") and use(check) == CONTENTS
    assert path.stat().st_mtime_ns == made.st_mtime_ns
    assert not list(cache.rglob("*.tmp")) and threading.active_count() == before


def test_damage_after_the_check_is_found_by_the_use(
    cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path, _ = cached_file("kind", "key", ".so", lambda p: _write(p, CONTENTS))
    flip(path, 1000)
    with pytest.raises(DamagedFile) as caught:
        verified(path)
    assert str(caught.value) == f"{path} cannot be used: it does not hold what was written"
    assert not is_cached("kind", "key", ".so")
    assert use(True) == CONTENTS
    path.unlink()
    with pytest.raises(DamagedFile, match="it is not there any more"):
        verified(path)


def test_damage_that_comes_again_is_an_error(caplog: pytest.LogCaptureFixture) -> None:
    def build() -> bytes:
        path, _ = cached_file("kind", "key", ".so", lambda p: _write(p, CONTENTS))
        flip(path, 5)
        return verified(path)

    with pytest.raises(DamagedFile, match=r"key\.so cannot be used: it does not hold"):
        rebuild_damaged(build)
    assert len(caplog.messages) == 3 + 3  # built again: said by the search and by the retry


def test_locks_cost_nothing_but_work(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_PATIENCE_S", 0.1)
    folder = cache / "kind"
    folder.mkdir(parents=True)
    (folder / "folder.lock").mkdir()
    (folder / "nothing.lock").symlink_to("nothing/at/all")
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (folder / "link.lock").symlink_to(victim)
    os.mkfifo(folder / "pipe.lock")
    (folder / "mode.lock").touch(0)
    held = FileLock(folder / "held.lock")
    with held:
        for key in ("folder", "nothing", "link", "pipe", "mode", "held"):
            path, hit = cached_file("kind", key, ".so", lambda p: _write(p, CONTENTS))
            assert (path.parent, hit) == (folder, False) and verified(path) == CONTENTS
    assert victim.read_text() == "precious"


def test_what_fails_leaves_nothing(cache: Path) -> None:
    def fail(path: Path) -> None:
        path.write_bytes(CONTENTS)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cached_file("kind", "key", ".so", fail)
    assert [p.name for p in cache.rglob("*") if p.is_file()] == ["key.lock"]
    assert use(True) == CONTENTS


def test_a_cache_that_is_removed_meanwhile(cache: Path) -> None:
    def make(path: Path) -> None:
        shutil.rmtree(cache)
        path.write_bytes(CONTENTS)

    path, _ = cached_file("kind", "key", ".so", make)
    assert path == cache / "kind" / "key.so" and verified(path) == CONTENTS
