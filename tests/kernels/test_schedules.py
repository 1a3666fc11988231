"""Schedules that were found: what fits, the database, and what is damaged or of another machine."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from acrobat.kernels.printers.cpu.build import sources_of
from acrobat.kernels.printers.cpu.fit import misfit
from acrobat.kernels.printers.cpu.rule import choose_template, schedule_by_rule
from acrobat.kernels.printers.cpu.schedule import ALL_ROWS, TEMPLATE_VERSION, Schedule
from acrobat.kernels.printers.cpu.target import CpuTarget
from acrobat.kernels.schedules import (
    Database,
    Entry,
    Measured,
    kernel_key,
    lookup,
    machine_of,
    merge_into_users,
    schedules_for,
    users,
    words,
)
from acrobat.kernels.schedules.database import file_name
from tests.kernels.kernel_specs import own_matrix, wide

AVX512 = CpuTarget("a CPU", (), 16, 32)
AVX2 = CpuTarget("a CPU", (), 8, 16)
SPEC = wide(256, 64, 2)
RULE = schedule_by_rule(SPEC, AVX2)
FOUND = replace(RULE, unroll=4)
ENTRY = Entry(kernel_key(SPEC), words(SPEC), FOUND, (Measured(8, 12.5, 10.25),))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "cache"
    monkeypatch.setenv("ACROBAT_CACHE", str(folder))
    monkeypatch.setattr(lookup, "KIND", "schedules")  # other tests look nowhere near a user's
    yield folder
    lookup._read.cache_clear()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, None),
        (
            {"lanes": 4, "vectors": 4, "tiles": (1, 2), "usual": 2, "join": 1, "rows_at_once": 6},
            None,
        ),
        ({"rows_at_once": ALL_ROWS}, None),
        ({"lanes": 16}, "vectors of 16 floats: the machine's have 8, or a part of that"),
        ({"lanes": 0}, "vectors of 0 floats: the machine's have 8, or a part of that"),
        ({"vectors": 5}, "blocks of 5 vectors: there are 1 to 4"),
        ({"tiles": ()}, "tiles of (): expected different heights from 1 on, in order"),
        (
            {"tiles": (2, 1)},
            "tiles of (2, 1): expected different heights from 1 on, in order",
        ),
        ({"tiles": (0, 6)}, "tiles of (0, 6): expected different heights from 1 on, in order"),
        ({"tiles": (1, 13)}, "tiles of 13 rows: there are up to 12"),
        ({"vectors": 3}, "tiles of 4 rows and 3 vectors: 16 registers"),
        ({"vectors": 4}, "a usual tile of 6 rows: none takes a column block at once"),
        ({"usual": 7}, "a usual tile of 7 rows: none takes a column block at once"),
        ({"join": 7}, "a rest of 7 rows is more than the usual tile of 6"),
        ({"rows_at_once": 7}, "7 rows at once are not whole tiles of 6"),
        ({"rows_at_once": 0}, "0 rows at once are not whole tiles of 6"),
        ({"unroll": 0}, "unroll 0, ahead 32, gates 0: beyond what there is"),
        ({"gates": 3}, "unroll 1, ahead 32, gates 3: beyond what there is"),
        ({"ahead": 1000}, "unroll 1, ahead 1000, gates 0: beyond what there is"),
        ({"tiles": (1, 6)}, "tiles of (1, 6) do not cover 3 rows"),
        ({"tiles": (2, 6)}, "tiles of (2, 6): one of a single row is lacking"),
        ({"tiles": (6,)}, "tiles of 6 rows do not divide a node's 1"),
    ],
)
def test_what_does_not_fit_a_kernel(changes: dict[str, object], reason: str | None) -> None:
    assert misfit(replace(RULE, **changes), SPEC, AVX2) == reason  # type: ignore[arg-type]


def test_a_schedule_of_another_width_does_not_fit() -> None:
    assert misfit(RULE, wide(12, 64, 1), AVX2) == "blocks of 16 columns: the kernel has 12"


def test_a_matrix_of_the_nodes_own_has_one_height() -> None:
    spec = own_matrix(8, 16, 24)
    rule = schedule_by_rule(spec, AVX2)
    tiles = replace(rule, tiles=(1, 2, 3, 4), usual=4)
    assert (
        misfit(tiles, spec, AVX2) == "a node with a matrix of its own has tiles of a single height"
    )
    assert misfit(rule, replace(spec, gates=()), AVX2) == (
        "a kernel without contractions has one schedule, the rule's"
    )


def test_what_a_schedule_makes_of_a_kernel_is_in_its_source() -> None:
    """Which is what the cache finds objects by."""
    for changes in (
        {"unroll": 4},
        {"ahead": 64},
        {"by_line": True},
        {"gates": 1},
        {"vectors": 3, "tiles": (1, 2, 3, 4), "usual": 4, "rows_at_once": 8},
    ):
        changed = replace(RULE, **changes)
        templates = [choose_template(SPEC, AVX2, s) for s in (RULE, changed)]
        rule, other = (sources_of(SPEC, t, (2,)) for t in templates)
        assert rule != other, changes


def test_the_key_is_what_is_computed() -> None:
    assert kernel_key(SPEC) == kernel_key(replace(SPEC, name="another"))
    assert kernel_key(SPEC) != kernel_key(wide(256, 65, 2))
    assert words(SPEC) == "2 contractions of 256 columns, K = 64"
    assert words(wide(16, 8, 1, 4)) == "1 contraction of 16 columns, K = 8, 4 rows a node"


def test_a_file_is_read_as_it_was_written() -> None:
    other = replace(ENTRY, kernel="0" * 24, measured=())
    database = Database(machine_of(AVX2), {}).merged([ENTRY, other])
    text = database.text()
    assert Database.parse(text, machine_of(AVX2)) == database
    head, *lines, end = text.splitlines()
    assert head == (
        f'{{"machine": "a CPU, 16 registers of 8 floats", "template": {TEMPLATE_VERSION}, '
        f'"kernels": {{'
    )
    assert [line[1:25] for line in lines] == sorted(["0" * 24, ENTRY.kernel])
    assert end == "}}"


def test_what_is_found_again_takes_the_place_of_what_was() -> None:
    database = Database(machine_of(AVX2), {}).merged([ENTRY])
    more = replace(ENTRY, measured=(Measured(4, 3.0, 2.0), Measured(8, 12.0, 9.0)))
    assert database.merged([more]).entries[ENTRY.kernel].measured == more.measured
    other = replace(ENTRY, schedule=replace(FOUND, unroll=2), measured=(Measured(4, 3.0, 2.0),))
    assert database.merged([other]).entries == {ENTRY.kernel: other}
    # What was measured of other rows stays with its schedule.
    kept = database.merged([replace(ENTRY, measured=(Measured(4, 3.0, 2.0),))])
    assert [m.rows for m in kept.entries[ENTRY.kernel].measured] == [4, 8]


def _damaged(change: object) -> str:
    text = Database(machine_of(AVX2), {}).merged([ENTRY]).text()
    record = json.loads(text)
    schedule = record["kernels"][ENTRY.kernel]["schedule"]
    if isinstance(change, dict):
        schedule |= change
    return json.dumps(record)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"vectors": "2"}, "vectors: expected a whole number, found '2'"),
        ({"vectors": True}, "vectors: expected a whole number, found True"),
        ({"vectors": -1}, "vectors: expected a whole number, found -1"),
        ({"vectors": 2.0}, "vectors: expected a whole number, found 2.0"),
        ({"rows_at_once": 1 << 61}, f"rows_at_once: expected a whole number, found {1 << 61}"),
        ({"tiles": 6}, "tiles: expected a list of whole numbers, found 6"),
        ({"tiles": [1, None]}, "tiles: expected a list of whole numbers, found [1, None]"),
        ({"by_line": 1}, "by_line: expected true or false, found 1"),
        ({"colour": 1}, "a schedule has no 'colour'"),
    ],
)
def test_a_damaged_entry_is_refused_by_itself(change: dict[str, object], reason: str) -> None:
    found = Database.parse(_damaged(change), machine_of(AVX2))
    assert found.entries == {}
    assert found.refused == (f"kernel {ENTRY.kernel!r}: {reason}",)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "Expecting value: line 1 column 1 (char 0)"),
        ("[]", "it is not an object with kernels"),
        ("{}", "it is not an object with kernels"),
        ('{"kernels": {}}', "it is for None, not for 'a CPU, 16 registers of 8 floats'"),
        (
            '{"kernels": {}, "machine": "a CPU, 16 registers of 8 floats", "template": 0}',
            f"it is for version 0 of the template, not {TEMPLATE_VERSION}",
        ),
        (
            '{"kernels": {"x": {}}, "machine": "a CPU, 16 registers of 8 floats", '
            f'"template": {TEMPLATE_VERSION}}}',
            "kernel 'x': it is no key of a kernel",
        ),
        (
            '{"kernels": {"000000000000000000000000": 1}, '
            f'"machine": "a CPU, 16 registers of 8 floats", "template": {TEMPLATE_VERSION}}}',
            "kernel '000000000000000000000000': expected an object with about, measured, schedule",
        ),
    ],
)
def test_a_damaged_file_is_refused(text: str, reason: str) -> None:
    assert Database.parse(text, machine_of(AVX2)).refused == (reason,)


def test_files_of_machines_do_not_meet() -> None:
    assert file_name(AVX2) != file_name(AVX512)
    assert file_name(AVX2) == "a-cpu-16-registers-of-8-floats.json"


def test_what_a_user_found_is_used(cache: Path) -> None:
    assert schedules_for([SPEC], AVX2) == {}
    path = merge_into_users([ENTRY], AVX2)
    assert path.parent == cache / "schedules"
    assert path.stat().st_mode & 0o022 == 0
    renamed = replace(SPEC, name="another")
    assert schedules_for([SPEC, renamed, wide(32, 8, 1)], AVX2) == {
        SPEC.name: FOUND,
        "another": FOUND,
    }
    assert schedules_for([SPEC], AVX512) == {}


def test_the_rule_needs_no_entry(cache: Path) -> None:
    merge_into_users([replace(ENTRY, schedule=RULE)], AVX2)
    assert schedules_for([SPEC], AVX2) == {}


def test_what_does_not_fit_is_left_to_the_rule(
    cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    merge_into_users([replace(ENTRY, schedule=replace(FOUND, lanes=16))], AVX2)
    with caplog.at_level(logging.WARNING, "acrobat"):
        assert schedules_for([SPEC], AVX2) == {}
    assert caplog.messages == [
        f"{SPEC.name} has the rule's schedule, not the one found: vectors of 16 floats: the "
        f"machine's have 8, or a part of that"
    ]


@pytest.mark.parametrize("damage", ["cut", "changed", "no seal", "writable"])
def test_a_damaged_database_is_begun_anew(
    cache: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = merge_into_users([ENTRY], AVX2)
    seal = path.with_name(path.name + ".sha256")
    data = path.read_bytes()
    if damage == "cut":
        path.write_bytes(data[:-10])
    elif damage == "changed":
        path.write_bytes(data.replace(b'"unroll": 4', b'"unroll": 2'))
    elif damage == "no seal":
        seal.unlink()
    else:
        path.chmod(0o666)
    with caplog.at_level(logging.WARNING, "acrobat"):
        assert schedules_for([SPEC], AVX2) == {}
    assert caplog.messages[0].startswith("schedules are the rule's: ")
    assert str(path) in caplog.messages[0]
    merge_into_users([ENTRY], AVX2)
    assert users(AVX2).entries == {ENTRY.kernel: ENTRY}


def test_two_may_add_at_the_same_time(cache: Path, caplog: pytest.LogCaptureFixture) -> None:
    """And read: between the steps of a writer nothing seems to be damaged."""
    other = replace(ENTRY, kernel="0" * 24)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            for _ in range(10):
                merge_into_users([ENTRY], AVX2)
            code = 0
        finally:
            os._exit(code)
    for _ in range(10):
        merge_into_users([other], AVX2)
        for _ in range(5):
            assert other.kernel in users(AVX2).entries
    assert caplog.messages == []
    assert os.waitpid(child, 0)[1] == 0
    assert set(users(AVX2).entries) == {ENTRY.kernel, other.kernel}


def test_from_json_and_back() -> None:
    for schedule in (RULE, FOUND, schedule_by_rule(SPEC, AVX512)):
        assert Schedule.from_json(json.loads(json.dumps(schedule.to_json()))) == schedule
    with pytest.raises(ValueError, match=r"^a schedule is an object, found \[\]$"):
        Schedule.from_json([])
    with pytest.raises(ValueError, match=r"^a schedule needs 'ahead'$"):
        Schedule.from_json({k: v for k, v in RULE.to_json().items() if k != "ahead"})
