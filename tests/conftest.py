"""Shared fixtures."""

from __future__ import annotations

import difflib
import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from acrobat.kernels.schedules import lookup
from tests.few_tiles import few_tiles
from tests.loading import load_file
from tests.programs.reference_kernels import reference_kernels
from tests.selection import Share, read_share, runs

# A library that does not exist: a machine whose driver shows no GPU.
NO_DRIVER = "/nowhere/libcuda.so.1"
_HEADER = "import acrobat as ab\nfrom acrobat import Tensor, ops\n\n"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write the files of tests/golden anew"
    )
    parser.addoption(
        "--exhaustive",
        default="all",
        type=read_share,
        metavar="SHARE",
        help="which of the exhaustive tests run: all, none, or a share such as 0/4 (to 3/4)",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Which exhaustive tests run. The longest tests run first, so that the workers of pytest-xdist
    end at about the same time."""
    share: Share = config.getoption("--exhaustive")
    left_out = [i for i in items if not runs(i, share)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
    gone = {id(i) for i in left_out}
    items[:] = [i for i in items if id(i) not in gone]
    items.sort(key=lambda item: not item.get_closest_marker("slow"))


def pytest_collection_finish() -> None:
    """What has been imported and collected stays to the end: the garbage collector, which many
    tests call, need not go through it each time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def cpu_unless_asked() -> Iterator[None]:
    """`target="auto"` is the CPU, also on a machine with a GPU and in the processes that tests
    start: what a test expects must not depend on the machine. Tests of the run-time on a GPU name a
    driver of their own (tests/runtime/cuda); those of the kernels go through PyTorch."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ACROBAT_LIBCUDA", NO_DRIVER)
        yield


@pytest.fixture(scope="session", autouse=True)
def verify_every_pass() -> Iterator[None]:
    """The module is verified after every pass of every compilation, also in processes that tests
    start."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ACROBAT_VERIFY", "1")
        yield


@pytest.fixture(scope="session", autouse=True)
def nothing_is_tuned() -> Iterator[None]:
    """What this user's cache has of `acrobat tune` does not count in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lookup, "KIND", "schedules-of-tests")
        yield


@pytest.fixture
def interpreted_kernels() -> Iterator[None]:
    """For tests of what comes before kernels. `executor="vm"` takes them as they are specified, in
    numpy: it would compile them in every process anew. Compiled ones have few heights of row tiles
    (tests/few_tiles.py)."""
    with reference_kernels(), few_tiles():
        yield


@pytest.fixture
def small_kernels() -> Iterator[None]:
    """Compiled kernels have few heights of row tiles, for tests of what these do not change."""
    with few_tiles():
        yield


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """Compares a text with what a file says, or writes the file with --update-golden."""
    config = request.config

    def compare(path: Path, text: str) -> None:
        if config.getoption("--update-golden"):
            path.write_text(text)
            return
        before, now = (t.splitlines(keepends=True) for t in (path.read_text(), text))
        diff = "".join(difflib.unified_diff(before, now, path.name, "now"))
        if diff:
            test = request.path.relative_to(config.rootpath)
            pytest.fail(
                f"this is not the text of {path.relative_to(config.rootpath)} any more. If that is "
                f"what you want, write the file anew and read its diff:\n\n"
                f"    pytest {test} --update-golden\n\n{diff}",
                pytrace=False,
            )

    return compare


@pytest.fixture
def load_model(tmp_path: Path) -> Callable[[str], ModuleType]:
    """Import model source from a file: the compiler reads the source from there. Line 1 of the
    given text is line 4 of the file."""
    count = 0

    def load(text: str) -> ModuleType:
        nonlocal count
        count += 1
        path = tmp_path / f"model_{count}.py"
        path.write_text(_HEADER + text)
        return load_file(path, f"{tmp_path.name}_{count}")

    return load
