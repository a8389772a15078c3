"""The benchmark of lint's speed imports only what there is, and counts its files right."""

from __future__ import annotations

import runpy
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "benchmarks"


def test_it_can_be_loaded(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    found = runpy.run_path(str(FOLDER / "lint.py"), run_name="benchmark")
    assert found["FOLDERS"] * len(found["FILES"]) == 1000
