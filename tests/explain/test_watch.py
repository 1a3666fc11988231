"""What explain traces while the interpreter runs."""

from __future__ import annotations

from acrobat.vm.tasks import Task
from acrobat.vm.watch import Watch


def test_a_branch_that_begins_has_read_nothing() -> None:
    watch = Watch(behind=[frozenset()])
    for _ in range(100):
        # Each takes the memory of the one before, and with it what id() gives.
        task = Task(work=(_ for _ in ()), depth=0, phase=0)
        assert watch.gate(task) == frozenset()
        watch.read(0, task)
        assert watch.gate(task) == {0}
