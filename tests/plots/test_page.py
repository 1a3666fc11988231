"""The page of a report, in a real browser: a filter is clicked, and the rows change."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pandas as pd

from plots.page import rows_table
from plots.report import write_report
from tests.browser import document_of, needs_browser
from tests.plots.plot_rows import frame, on_gpu, row, save

# Waits for the table, notes what it shows, sorts by the median, chooses acrobat in the list of
# systems, and leaves what it saw in the title of the page.
SCRIPT = """
const until = async (test) => {
  while (!test()) await new Promise(r => setTimeout(r, 20));
};
const rows = () => [...document.querySelectorAll("#rows-cpu tbody tr")]
  .map(tr => [...tr.cells].map(td => td.textContent));
const entry = (name) => [...document.querySelectorAll(".dtsp-searchPane tbody td")]
  .find(td => td.textContent.startsWith(name));
// What a mouse does: rows are selected where it goes down and up again.
const press = (element) => ["mousedown", "mouseup", "click"].forEach(kind =>
  element.dispatchEvent(new MouseEvent(kind, {bubbles: true, cancelable: true, view: window})));
await until(() => entry("acrobat"));
const said = {before: rows()};
const heading = [...document.querySelectorAll("#rows-cpu thead th")]
  .find(th => th.textContent.includes("median ms"));
press(heading.querySelector(".dt-column-order") ?? heading);
await until(() => heading.matches("[aria-sort]"));
said.sorted = rows();
press(entry("acrobat"));
await until(() => rows().length !== said.before.length);
said.filtered = rows();
document.title = JSON.stringify(said);
"""


def rows() -> list[dict[str, object]]:
    return [
        row("acrobat", 2.0),
        row("acrobat", 5.0, workload="drnn"),
        row("dynet", 8.0, "autobatch1"),
        row("dynet", 1.0, "autobatch2", max_abs_err=0.5, reason="over <b>tolerance</b>"),
        row("torch_eager", None, status="timeout", reason="300 s"),
        row("floor", 1.5),
    ]


def test_times_beside_the_best_of_the_cell() -> None:
    table = rows_table(frame(*rows()))
    found = table.set_index(["system", "variant"])["/ best"]
    assert found["dynet", "autobatch1"] == 4.0
    # Wrong, and a limit: neither is the best.
    assert pd.isna(found["dynet", "autobatch2"]) and found["floor", "full"] == 0.75
    assert set(table["outcome"]) == {"ok", "wrong", "timeout"}


@needs_browser
def test_a_filter_changes_the_rows(tmp_path: Path) -> None:
    save(tmp_path / "rows", *rows(), on_gpu("acrobat", 1.0))
    write_report(tmp_path / "rows", tmp_path / "out", say=lambda _: None)
    page = tmp_path / "out" / "index.html"
    text = page.read_text()
    assert "http://" not in re.sub(r"http://www\.w3\.org|base64,\S+", "", text.split("<nav>")[1])
    title = re.search(r"<title>(.*?)</title>", document_of(page, SCRIPT, tmp_path / "b"), re.S)
    assert title is not None
    said = json.loads(html.unescape(title[1]))
    assert len(said["before"]) == 6
    assert [line[4] for line in said["filtered"]] == ["acrobat"] * 2
    medians = [float(line[7]) for line in said["sorted"] if line[7]]
    assert medians == sorted(medians) and len(medians) == 4
    assert "over <b>tolerance</b>" in [line[10] for line in said["before"]]
