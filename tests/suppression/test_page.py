"""The settings that docs/suppressions.md shows are read as it says; its session is run as those of other pages are."""

from __future__ import annotations

import sys
from pathlib import Path

from miscast.suppression.settings import settings

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS))

import blocks  # noqa: E402


def test_the_sample_of_settings(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (shown,) = (block.text for block in blocks.blocks(DOCS / "suppressions.md") if block.language == "toml")
    Path("pyproject.toml").write_text(shown, encoding="utf-8")
    found = settings()
    assert (found.machine, found.severity, found.rules["loss-rounds"]) == ("a100", "warning", "error")
