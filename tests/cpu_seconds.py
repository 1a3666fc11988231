"""A plug-in of pytest: CPU seconds of every file, those of the processes that its tests start
included. They say what a run costs also on a machine with other work.

    python -m pytest -n auto -p tests.cpu_seconds tests/kernels
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Generator

import psutil
import pytest

FIGURE = "cpu_seconds"
IMPORTS = "imports and collection"
_process = psutil.Process()
_before: dict[str, float] = {}
_files: defaultdict[str, float] = defaultdict(float)
_tests: defaultdict[str, float] = defaultdict(float)


def cpu_seconds() -> float:
    """Of this process, of its children that have ended, and of those that live."""
    own = os.times()
    total = own.user + own.system + own.children_user + own.children_system
    for child in _process.children(recursive=True):
        try:
            times = child.cpu_times()
        except psutil.Error:
            continue
        total += times.user + times.system + times.children_user + times.children_system
    return total


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    now = cpu_seconds()
    if IMPORTS not in _before:  # the first test of this process
        item.user_properties.append((IMPORTS, now))
    _before[IMPORTS] = _before[item.nodeid] = now
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    """Fixtures count where they are made or removed."""
    result = yield
    item.user_properties.append((FIGURE, cpu_seconds() - _before.pop(item.nodeid)))
    return result


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """In the process that reports, which under pytest-xdist runs no tests."""
    if report.when == "teardown" and "PYTEST_XDIST_WORKER" not in os.environ:
        figures = [(n, v) for n, v in report.user_properties if n in (FIGURE, IMPORTS)]
        for name, value in figures:
            assert isinstance(value, float)
            _files[report.location[0] if name == FIGURE else IMPORTS] += value
            if name == FIGURE:
                _tests[report.nodeid] += value


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Files and the 40 dearest tests."""
    terminalreporter.section("CPU seconds")
    files, tests = (sorted(d.items(), key=lambda row: -row[1]) for d in (_files, _tests))
    rows = [*files, ("in all", sum(_files.values())), *tests[:40]]
    for name, value in rows:
        terminalreporter.write_line(f"{value:8.1f}  {name}")
