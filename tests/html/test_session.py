"""The picture of a terminal session: small, without a script, still where animation is off, in two colour modes."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from rich.text import Text

from browser import FOUND, browser

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))

import session  # noqa: E402

SAMPLE = [
    ("miscast check x.py", Text.from_ansi("\x1b[31merror\x1b[0m  a < b & c\n  two  spaces\n\n\ndone")),
    ("miscast fix x.py", Text("diff")),
]
LAST = "getComputedStyle([...document.querySelectorAll('.l')].at(-1))"


def rows(picture):
    """The text of each line that has any."""
    groups = ET.fromstring(picture).iter("{http://www.w3.org/2000/svg}g")
    return ["".join(group.itertext()) for group in groups if "l" in group.get("class", "").split()]


def test_a_picture_has_every_line_once_and_in_its_order():
    picture = session.drawn(SAMPLE)
    said = ["$ miscast check x.py", "error  a < b & c", "  two  spaces", "done", "$ miscast fix x.py", "diff"]
    assert [line.rstrip() for line in rows(picture)] == said
    delays = [float(delay) for delay in re.findall(r"animation-delay:([\d.]+)s", picture)]
    assert delays == sorted(delays)
    assert picture == session.drawn(SAMPLE)


def test_the_picture_of_the_docs_is_small_and_loads_nothing():
    picture = session.PICTURE.read_text("utf-8")
    assert len(picture.encode()) <= 60 << 10
    assert not re.search(r"<script|<image|@import|@font-face|url\(|href|\son\w+=", picture)
    assert [line[2:] for line in rows(picture) if line.startswith("$ ")] == [*session.COMMANDS]
    # both modes name the same styles
    light, dark = (re.findall(r"^\.s-\S+", part, re.MULTILINE) for part in picture.split("@media")[:2])
    assert light == dark


@pytest.mark.skipif(FOUND is None, reason="no Chromium on this machine")
@pytest.mark.parametrize(("motion", "shown"), [("reduce", "1"), ("no-preference", "0")])
def test_where_animation_is_off_the_end_is_shown(tmp_path, motion, shown):
    with browser(tmp_path) as tab:
        tab.show(session.PICTURE)
        tab.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": motion}])
        assert tab.value(f"{LAST}.opacity") == shown
        typed = "getComputedStyle(document.querySelector('.t')).animationName"
        assert tab.value(typed) == ("none" if motion == "reduce" else "type")
        assert tab.requests == [session.PICTURE.as_uri()]
        assert tab.complaints == []
