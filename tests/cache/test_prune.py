"""The cache does not grow for ever, and `acrobat cache` shows it and makes it smaller."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from acrobat.cache import cached_file, content_hash, find_items, is_cached, prune
from acrobat.cache.prune import keep_bound, most_bytes
from acrobat.cli import main
from acrobat.errors import OptionError

DAY = 86400.0
SIZE = 100 << 10


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ACROBAT_CACHE", str(tmp_path / "cache"))
    for days in range(5):
        use(f"key{days}")
        seal = tmp_path / "cache" / "kind" / f"key{days}.o.sha256"
        os.utime(seal, (time.time() - days * DAY,) * 2)
    return tmp_path / "cache"


def use(key: str) -> bool:
    """Whether the file was there."""

    def write(path: Path) -> None:
        path.write_bytes(bytes(SIZE))

    return cached_file("kind", key, ".o", write)[1]


def there() -> list[int]:
    """Which of the files are left; number n was used n days ago."""
    return [days for days in range(5) if is_cached("kind", f"key{days}", ".o")]


def test_the_longest_unused_goes_first(cache: Path) -> None:
    prune(cache, since=time.time() - 3.5 * DAY)
    assert there() == [0, 1, 2, 3]
    prune(cache, most=2.5 * SIZE)
    assert there() == [0, 1]
    assert not list(cache.rglob("key3*"))
    assert prune(cache, 0, recent=time.time() - 0.5 * DAY)[0].path.name == "key1.o"
    assert there() == [0]


def test_use_is_written_down(cache: Path) -> None:
    assert use("key4")
    prune(cache, most=2.5 * SIZE)
    assert there() == [0, 4]


def test_the_bound_is_kept(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACROBAT_CACHE_MB", "0")
    (cache / "looked-at").unlink()
    keep_bound(cache)
    monkeypatch.setenv("ACROBAT_CACHE_MB", "1")
    for number in range(8):
        use(f"more{number}")
    os.utime(cache / "looked-at", (0, 0)) if (cache / "looked-at").exists() else None
    use("last")
    # What was used within the hour stays, whatever the bound is.
    assert there() == [0] and use("more7") and use("last")
    monkeypatch.setenv("ACROBAT_CACHE_MB", "-1")
    with pytest.raises(OptionError) as caught:
        most_bytes()
    assert str(caught.value) == (
        "ACROBAT_CACHE_MB='-1': expected a whole number of MiB, or 0: no bound"
    )


def test_only_what_was_built_is_removed(cache: Path, tmp_path: Path) -> None:
    """The folder may be one in which other things are, too."""
    (cache / "precious.txt").write_text("precious")
    (cache / "kind" / "notes.o").write_text("precious")
    (cache / "elsewhere").symlink_to(tmp_path)
    damaged = cache / "kind" / f"{content_hash(['damaged'])}.so"
    damaged.write_text("without a seal")
    (cache / "triton" / "deep").mkdir(parents=True)
    (cache / "triton" / "deep" / "x").write_text("x")
    assert len(find_items(cache)) == 7
    assert main(["cache", "clear"]) == 0
    left = sorted(str(p.relative_to(cache)) for p in cache.rglob("*") if p.is_file())
    assert left == ["kind/notes.o", "looked-at", "precious.txt"]
    assert cache.joinpath("elsewhere").is_symlink() and there() == []


def test_the_command(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache"]) == 0
    assert capsys.readouterr().out == (
        f"kind         5 items, 520.0 KiB\n{cache}: 5 items, 520.0 KiB of at most 5.0 GiB\n"
    )
    assert main(["cache", "prune", "--older-than", "36h", "--max-size", "1GiB"]) == 0
    assert capsys.readouterr().out == f"removed 3 items, 312.0 KiB from {cache}\n"
    assert main(["cache", "prune", "--max-size", "0KiB"]) == 0
    assert main(["cache", "prune"]) == 2
    out, err = capsys.readouterr()
    assert out == f"removed 2 items, 208.0 KiB from {cache}\n" and err == (
        "acrobat cache: say what to remove: --older-than 30d, --max-size 1GiB, or both\n"
    )
    with pytest.raises(SystemExit):
        main(["cache", "prune", "--max-size", "all"])
    assert "argument --max-size: 'all': write a size: 500MiB or 2GiB" in capsys.readouterr().err
