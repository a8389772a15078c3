"""The page of half precision says what its script measures, and shows what it has drawn."""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from unittest.mock import MagicMock

import pytest

from sweep import sweep

FOLDER = str(Path(__file__).parents[2] / "benchmarks")
sys.path.insert(0, FOLDER)
import half_precision  # noqa: E402
import page  # noqa: E402

sys.path.remove(FOLDER)

TEXT = (page.DOCS / "half-precision.md").read_text("utf-8")


@pytest.mark.parametrize("name", ["integers", "rotary", "ranges"])
def test_the_sentences_are_what_is_measured(name):
    measure, _, _ = half_precision.FIGURES[name]
    # what draws is no part of what is measured
    assert measure(MagicMock()) in TEXT


def test_each_figure_is_on_the_page_and_nothing_else_is_drawn():
    shown = re.findall(r"\(half-precision/(\w+)\.svg\)", TEXT)
    assert sorted(shown) == sorted(half_precision.FIGURES) == sorted(f.stem for f in half_precision.FOLDER.iterdir())


@sweep("name", half_precision.FIGURES)
def test_a_drawing_is_small_and_loads_nothing(name):
    file = half_precision.FOLDER / f"{name}.svg"
    assert 5_000 < file.stat().st_size < 60_000
    root = ET.fromstring(file.read_text("utf-8"))
    links = [value for one in root.iter() for key, value in one.attrib.items() if key.endswith("href")]
    assert all(link.startswith("#") for link in links)


def test_each_rule_that_is_named_is_one():
    from miscast.judging.rules import known
    from miscast.report.rule_page import of_losses

    names = {one.name for one in known()} | of_losses()
    paragraphs = re.findall(r"\*\*Reported by:\*\*(.*?)\n\n", TEXT, re.DOTALL)
    told = {name for one in paragraphs for name in re.findall(r"`([a-z]+(?:-[a-z]+)+)`", one)}
    assert len(told) > 8
    assert told <= names
