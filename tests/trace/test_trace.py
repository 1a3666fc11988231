"""`fast.trace`: the arrays are what happened, and every form of it shows them."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import acrobat as ab
import workloads
from acrobat.trace import Trace, trace
from tests.browser import document_of, needs_browser
from tests.selection import some
from workloads.data.source import TreeSource

SOURCE = TreeSource(None)
SVG = "{http://www.w3.org/2000/svg}"


def traced(name: str, batch: int = 5, **options: Any) -> tuple[Trace, Any]:
    """Of a workload at `tiny`, and the compiled model."""
    workload = workloads.get(name)
    params = workload.make_params("tiny", 0, SOURCE)
    fast = ab.compile(workload.model, params, target="cpu", options=ab.Options(**options))
    return fast.trace(workload.make_instances("tiny", batch, 0, SOURCE)), fast


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("name", ["treelstm", "drnn"])
def test_the_arrays_are_what_the_profile_counts(name: str) -> None:
    found, fast = traced(name, executor="vm")
    profile = fast.last_profile
    assert len(found.nodes) == profile.n_nodes and len(found.batches) == profile.n_batches
    of_batch = Counter(found.nodes["batch"].tolist())
    assert [of_batch[i] for i in range(len(found.batches))] == found.batches["n"].tolist()
    names = [b.name for b in found.blocks]
    assert Counter(names[b] for b in found.batches["block"].tolist()) == profile.batches
    assert set(found.nodes["instance"].tolist()) == set(range(5))
    assert int(found.cells["n"].sum()) == profile.n_nodes
    assert len(set(found.waits["computation"].tolist())) == profile.n_syncs
    assert set(found.batches["computation"].tolist()) <= set(range(profile.n_syncs + 1))
    assert all(b.place and b.line in Path(b.place.split(":")[0]).read_text() for b in found.blocks)


@pytest.mark.slow
@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("name", some(["treelstm", "drnn"], always=lambda name: name == "drnn"))
def test_compiled_and_interpreted_programs_do_the_same(name: str) -> None:
    (compiled, _), (interpreted, _) = traced(name, threads=2), traced(name, executor="vm")
    for array in ("nodes", "batches", "waits"):
        assert np.array_equal(getattr(compiled, array), getattr(interpreted, array)), array
    spans = compiled.spans
    assert (spans["end"] >= spans["begin"]).all() and set(spans["thread"].tolist()) <= {0, 1}
    kernels = spans[spans["activity"] == 0]
    assert set(kernels["batch"].tolist()) == set(range(len(compiled.batches)))
    assert (spans[spans["activity"] != 0]["batch"] == -1).all()
    # Without gather fusion there are copies, and they belong to batches.
    copies = traced(name, threads=1, gather_fusion=False)[0].spans
    assert set(copies[copies["activity"] == 3]["batch"].tolist()) == set(kernels["batch"].tolist())


@pytest.mark.usefixtures("interpreted_kernels")
def test_a_picture_has_a_rectangle_for_each_cell_and_span(tmp_path: Path) -> None:
    found, _ = traced("drnn", executor="vm")
    root = ET.fromstring(found.save(tmp_path / "t.svg").read_text())
    said = [e.findtext(f"{SVG}title", "") for e in root.iter(f"{SVG}rect") if len(e)]
    cells = [t for t in said if re.match(r"instance \d+: \d+ node", t)]
    assert len(cells) == len(found.cells)
    assert sum(t.startswith("kernels: ") for t in said) == len(found.batches)
    waits = len(np.unique(found.waits))
    assert sum("waits here for a value" in t for t in said) == waits > 0
    stops = [e for e in root.iter(f"{SVG}line") if e.get("class") == "stop"]
    assert len(stops) == len(set(found.batches["computation"].tolist())) - 1
    assert any(found.blocks[0].place in t for t in cells)


@pytest.mark.usefixtures("interpreted_kernels")
def test_trace_events(tmp_path: Path) -> None:
    found, _ = traced("treelstm", executor="vm")
    events = json.loads(found.save(tmp_path / "t.json").read_text())["traceEvents"]
    assert {e["ph"] for e in events} == {"M", "X"}
    done = [e for e in events if e["ph"] == "X"]
    assert all(e["dur"] >= 0 and e["ts"] >= 0 for e in done)
    of_instances = [e for e in done if e["pid"] == 2]
    assert len(of_instances) == len(found.cells)
    of_third = [e for e in of_instances if e["tid"] == 3]
    assert sum(e["args"]["nodes of this instance"] for e in of_third) == int(
        (found.nodes["instance"] == 3).sum()
    )


@needs_browser
@pytest.mark.usefixtures("interpreted_kernels")
def test_pointing_at_a_batch_marks_all_of_it(tmp_path: Path) -> None:
    found, _ = traced("treelstm", executor="vm")
    page = found.save(tmp_path / "trace.html")
    document = document_of(
        page,
        'document.querySelector(`#picture [data-batch="1"]`).dispatchEvent('
        'new MouseEvent("mouseover", {bubbles: true}));',
        tmp_path / "browser",
    )
    assert '<div id="picture" class="chosen">' in document
    marked = re.findall(r'data-batch="(\d+)" class="here"', document)
    of_batch = found.cells["batch"].tolist().count(1)
    assert marked == ["1"] * (of_batch + 1)  # and its kernels
    assert re.search(r'<p id="said">instance \d: \d+ nodes?\n', document)
    assert f"<td>{found.blocks[0].place}</td>" in document


@pytest.mark.usefixtures("interpreted_kernels")
def test_what_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found, fast = traced("treelstm", executor="vm")
    with pytest.raises(ValueError) as error:
        found.save(tmp_path / "trace.png")
    assert str(error.value) == (
        f"{tmp_path / 'trace.png'}: a trace is written as .svg, .html, .json; choose one by the "
        f"name's end"
    )
    monkeypatch.setattr(trace, "MOST_CELLS", 3)
    with pytest.raises(ValueError) as error:
        found.svg()
    assert str(error.value) == (
        f"encode: {len(found.cells)} cells are too many for a picture, which has 3 at most; trace "
        f"fewer instances, or write .json"
    )
    with pytest.raises(ab.InstanceError):
        fast.trace([3])


def test_nothing_is_traced_where_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACROBAT_DISABLE", "1")
    workload = workloads.get("treelstm")
    fast = ab.compile(workload.model, workload.make_params("tiny", 0, SOURCE))
    with pytest.raises(ValueError, match=r"so there are no batches to trace$"):
        fast.trace(workload.make_instances("tiny", 1, 0, SOURCE))
