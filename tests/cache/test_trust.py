"""Files that another user could have written are never loaded; full disks and missing folders."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import acrobat
from acrobat.cache import cache_dir, cached_file, private, scratch, verified
from acrobat.cache.location import wanted_cache

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
LASTS = (
    ". What is compiled now is gone when this process ends; set ACROBAT_CACHE to a folder of your "
    "own to keep it"
)
STRANGER = 54321


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("ACROBAT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(private, "_warned", set())
    monkeypatch.setattr(private, "_private", {})
    yield tmp_path / "cache"


def make(path: Path) -> None:
    path.write_bytes(b"mine")


def built_elsewhere(problem: str) -> Path:
    """The file where it is built because the cache cannot be used, with a warning."""
    with pytest.warns(RuntimeWarning) as caught:
        path, _ = cached_file("kind", "key", ".so", make)
    assert [str(w.message) for w in caught] == [problem + LASTS]
    assert verified(path) == b"mine" and path.stat().st_mode & 0o077 == 0o044
    assert path.parents[1].stat().st_mode & 0o777 == 0o700
    return path


def test_what_others_may_write_is_not_used(cache: Path) -> None:
    cached_file("kind", "key", ".so", make)
    for folder in (cache, cache.parent):
        folder.chmod(0o777)
        built_elsewhere(
            f"the cache cannot be used: others may write to {folder}; chmod go-w {folder}"
        )
        folder.chmod(0o700)
        private._private.clear()
    # In a sticky folder nobody can replace what is another's.
    cache.parent.chmod(0o1777)
    assert cached_file("kind", "key", ".so", make) == (cache / "kind" / "key.so", True)
    (cache / "kind").chmod(0o1777)
    folder = cache / "kind"
    built_elsewhere(
        f"{folder} cannot be written to: others may write to {folder}; chmod go-w {folder}"
    )


@as_root
def test_what_belongs_to_others_is_not_used(cache: Path, tmp_path: Path) -> None:
    path, _ = cached_file("kind", "key", ".so", make)
    os.chown(path, STRANGER, -1)
    assert cached_file("kind", "key", ".so", make) == (path, False)  # in its place
    assert path.stat().st_uid == 0
    os.chown(cache, STRANGER, -1)
    built_elsewhere(f"the cache cannot be used: {cache} belongs to the user {STRANGER}")
    os.chown(cache, 0, -1)
    private._private.clear()
    # Our own link is followed, another's is not.
    cache.rename(tmp_path / "real")
    cache.symlink_to("real")
    assert cached_file("kind", "key", ".so", make) == (path, True)
    os.chown(cache, STRANGER, -1, follow_symlinks=False)
    built_elsewhere(f"the cache cannot be used: {cache} is a link of the user {STRANGER}")


def test_a_file_in_the_place_of_the_cache(cache: Path) -> None:
    cache.write_text("precious")
    built_elsewhere(f"the cache cannot be used: {cache} is not a folder; remove it")
    assert cache.read_text() == "precious"


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ACROBAT_CACHE", "a_relative_one")
    assert wanted_cache() == tmp_path / "a_relative_one"
    monkeypatch.chdir("/")
    assert wanted_cache() == tmp_path / "a_relative_one"
    monkeypatch.setenv("ACROBAT_CACHE", "~/x")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert wanted_cache() == tmp_path / "x"
    monkeypatch.delenv("ACROBAT_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert wanted_cache() == tmp_path / ".cache" / "acrobat"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "")
    assert wanted_cache() == Path(f"~{_name()}").expanduser() / ".cache" / "acrobat"
    monkeypatch.setattr(os, "getuid", lambda: STRANGER)
    with pytest.warns(RuntimeWarning) as caught:
        cache_dir()
    assert str(caught[0].message) == (
        f"the cache cannot be used: HOME is not set, and the user {STRANGER} has no home folder"
        + LASTS
    )


def _name() -> str:
    import pwd

    return pwd.getpwuid(os.geteuid()).pw_name


def test_what_killed_processes_leave_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    script = (
        "import os, signal; from acrobat.cache import scratch_folder\n"
        "with scratch_folder() as f: (f / 'x').touch(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    root = Path(acrobat.__file__).parents[1]
    subprocess.run([sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": str(root)})
    (left,) = tmp_path.glob("acrobat-scratch-*")
    with scratch.scratch_folder() as mine:
        assert not left.exists()
        with scratch.scratch_folder():
            assert mine.exists()  # it has an owner
    assert not list(tmp_path.glob("acrobat-scratch-*"))


def test_what_was_not_renamed_is_removed(cache: Path) -> None:
    path, _ = cached_file("kind", "key", ".so", make)
    young, old, held = (path.with_name(f".{name}.tmp") for name in ("young", "old", "held"))
    for file in (young, old, held):
        file.touch()
    for file in (old, held):
        os.utime(file, (0, 0))
    with held.open("rb") as locked:
        fcntl.flock(locked, fcntl.LOCK_EX)
        cached_file("kind", "another", ".so", make)
    assert [f.exists() for f in (young, old, held)] == [True, False, True]


def test_a_full_disk(cache: Path) -> None:
    """A limit on the size of files stands for a disk that is full."""
    script = (
        "import resource, sys\n"
        "from acrobat.cache import cached_file\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "cached_file('kind', 'key', '.o', lambda p: p.write_bytes(bytes(5000)))\n"
    )
    root = Path(acrobat.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
    )
    last = done.stderr.splitlines()[-1]
    assert last.startswith("acrobat.errors.CacheError: kind/key.o cannot be built in /"), last
    assert last.endswith(
        "[Errno 27] File too large; free space there, or set TMPDIR to another folder"
    )
    assert not [p for p in cache.rglob("*") if p.is_file() and p.suffix != ".lock"]
