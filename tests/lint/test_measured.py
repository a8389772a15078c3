"""The table of effective precision says what the real libraries were seen to do: benchmarks/settings.py has run them."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import pytest

SETTINGS = Path(__file__).parents[2] / "benchmarks" / "settings"
sys.path.insert(0, str(SETTINGS))

# ruff: noqa: E402 - imports follow the path
from comparison import compared, laid, predicted

FAMILIES = sorted(file.stem for file in (SETTINGS / "measured").glob("*.json"))


@pytest.mark.parametrize("family", FAMILIES)
def test_what_was_seen_is_what_is_said(family, tmp_path):
    grid = {one.name: one for one in importlib.import_module(family).grid()}
    measured = json.loads((SETTINGS / "measured" / f"{family}.json").read_text(encoding="utf-8"))["seen"]
    assert measured
    wrong = []
    for index, (name, seen) in enumerate(measured.items()):
        folder = tmp_path / str(index)
        folder.mkdir()
        laid(grid[name], folder)
        said = predicted(grid[name], folder)
        if bool(said["errors"]) != bool(seen["errors"]):
            wrong.append(f"{name}: said {said['errors']}, seen {seen['errors']}")
        wrong += [f"{name}: {line}" for line in compared(said["cells"], seen["cells"])["differ"] if not seen["errors"]]
    assert sorted(wrong) == sorted(line for line in KNOWN if line.partition(": ")[0] in measured)


KNOWN: tuple[str, ...] = ()
"""What is still said wrongly."""
