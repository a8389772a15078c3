"""The benchmarks write to the page of accuracy, and the row of the code there can be checked."""

from __future__ import annotations

import re
import sys
from pathlib import Path

FOLDER = str(Path(__file__).parents[2] / "benchmarks")
sys.path.insert(0, FOLDER)
import house  # noqa: E402
import page  # noqa: E402

sys.path.remove(FOLDER)

PAGE = page.DOCS / "accuracy.md"
SECTIONS = (
    "fidelity", "faults", "programs", "explain", "numbers", "lint", "plan", "fix", "guard", "memory", "policy", "speed",
    "alternatives", "house",
)  # fmt: skip
ROW = "| **Miscast** | 100,000 | 5,000 | 30.0 | 7.0 | 3.0 % | 20 |"


def test_each_benchmark_finds_its_markers():
    text = PAGE.read_text("utf-8")
    wrote = set()
    for script in Path(FOLDER).glob("*.py"):
        source = script.read_text("utf-8")
        wrote |= set(re.findall(r'page\.write\("([^"]+)"', source))
        wrote |= set(re.findall(r'(?m)^COMMAND = "(.+)"$', source))
    marked = re.findall(r"<!-- begin: (.+?) -->", text)
    assert len(marked) == len(set(marked))
    assert set(marked) - wrote == {"python benchmarks/fidelity.py --machine h100"}
    assert wrote - set(marked) == set()
    assert text.count(page.END) == len(marked)


def test_the_page_has_its_sections_and_fits():
    text = PAGE.read_text("utf-8")
    assert re.findall(r"(?m)^## (\w+)$", text) == [name.capitalize() for name in SECTIONS]
    assert len(text.encode()) <= 24 << 10


def test_a_text_follows_its_command(monkeypatch, tmp_path):
    (tmp_path / "accuracy.md").write_text("a\n<!-- begin: make a -->\nold\n<!-- end -->\nz\n", "utf-8")
    monkeypatch.setattr(page, "DOCS", tmp_path)
    page.write("make a", "Measured today.\n")
    assert "\n\n`make a`. Measured today.\n\n<!-- end -->\nz\n" in (tmp_path / "accuracy.md").read_text("utf-8")
    page.write("make a", "| a |\n| --- |")
    assert "\n\n`make a`:\n\n| a |\n| --- |\n\n<!-- end -->" in (tmp_path / "accuracy.md").read_text("utf-8")


def test_columns_of_a_table():
    assert page.columns(["| a | b | c |", "| --- | --- | --- |"], 2) == ["| a | b |", "| --- | --- |"]


def test_a_row_that_no_longer_fits_the_code():
    assert house.stale(ROW, ROW) == []
    assert house.stale(ROW, ROW.replace("100,000", "100,900").replace("7.0", "7.1")) == []
    assert house.stale(ROW, ROW.replace("100,000", "102,000")) == ["lines: the page has 100000, the code 102000"]
    assert house.stale(ROW, ROW.replace("| 20 |", "| 21 |")) == ["most: the page has 20, the code 21"]
    assert house.NAME in house.on_page()
