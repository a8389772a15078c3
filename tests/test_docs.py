"""The pages that come from the code are up to date."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "miscast"


def test_the_generated_pages_are_up_to_date(monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT / "docs")])
    from generate import PAGES, texts

    stale = [name for name, text in texts(PAGES).items() if (ROOT / "docs" / name).read_text("utf-8") != text]
    assert stale == [], "run `make docs`"


def test_the_files_that_the_docs_name_are_there():
    """A path with a folder is one of the repository's, or of the package's."""
    named = set()
    for page in (*(ROOT / "docs").glob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"):
        named |= {(page.name, name) for name in re.findall(r"`((?:\w+/)+\w+\.py)`", page.read_text("utf-8"))}
    missing = [(page, name) for page, name in named if not any((at / name).exists() for at in (ROOT, PACKAGE))]
    assert len(named) > 30
    assert missing == []
