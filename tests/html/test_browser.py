"""The page in a real browser: it asks for nothing, complains of nothing, fits a phone, and needs no mouse."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from browser import FOUND, browser
from miscast.core.finding import Edit, Fix
from miscast.report.html import render
from pages import hostile, whole
from reports import full, report

pytestmark = pytest.mark.skipif(FOUND is None, reason="no Chromium on this machine")
FINDING = "document.querySelector('.finding > details')"


@pytest.fixture(scope="module")
def tab(tmp_path_factory):
    with browser(tmp_path_factory.mktemp("profile")) as one:
        yield one


@pytest.fixture(scope="module", params=["whole", "hostile"])
def file(request, tmp_path_factory):
    report = whole() if request.param == "whole" else hostile()
    written = tmp_path_factory.mktemp("page") / "report.html"
    written.write_text(render(report), "utf-8")
    return written


@pytest.mark.parametrize("width", [360, 1200])
@pytest.mark.parametrize("dark", [False, True])
def test_it_asks_for_nothing_complains_of_nothing_and_fits(tab, file, width, dark):
    tab.show(file, width=width, dark=dark)
    assert tab.requests == [file.as_uri()]
    assert tab.complaints == []
    assert tab.value("document.querySelectorAll('img').length") == 0
    assert tab.value("document.documentElement.scrollWidth") <= width
    ground = tab.value("getComputedStyle(document.querySelector('.miscast')).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") is not dark
    if width < 500:
        wide = "[...document.querySelectorAll('pre.code, pre.diff')].filter(p => p.scrollWidth > p.clientWidth).length"
        assert tab.value(wide) == 0
    # headings go down one step at a time
    levels = tab.value("[...document.querySelectorAll('h1,h2,h3,h4')].map(h => +h.tagName[1])")
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_a_finding_is_folded_with_the_keyboard_alone(tab, tmp_path):
    file = tmp_path / "report.html"
    file.write_text(render(whole()), "utf-8")
    tab.show(file)
    tab.press("Tab", 9)
    assert tab.value("document.activeElement.className") == "skip"
    for _ in range(40):
        tab.press("Tab", 9)
        if tab.value(f"document.activeElement === {FINDING}.firstElementChild"):
            break
    assert tab.value("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    assert tab.value(f"{FINDING}.open") is True
    tab.press("Enter", 13)
    assert tab.value(f"{FINDING}.open") is False
    tab.value("document.querySelector('[data-fold=\"\"]').focus()")
    tab.press("Enter", 13)
    assert tab.value("document.querySelectorAll('details[open]').length") == 0
    tab.value("location.hash = '#finding-0'")
    tab.value("show()")
    assert tab.value(f"{FINDING}.open") is True


@pytest.mark.parametrize("clipboard", ["allowed", "refused", "missing"])
def test_a_button_copies_a_diff_without_a_network(tab, tmp_path, monkeypatch, clipboard):
    monkeypatch.chdir(tmp_path)
    source = tmp_path / "train.py"
    source.write_text("if a:\n\tb = 2  # <&>\n")
    edit = Edit(file=str(source), start_line=2, end_line=2, replacement="\tb = 3\n")
    fix = Fix(title="t", verified=True, edits=(edit,))
    file = tmp_path / "report.html"
    file.write_text(render(replace(report(), findings=(replace(full().findings[0], fixes=(fix,)),))), "utf-8")
    tab.show(file)
    write = {
        "allowed": "{writeText: async (text) => { window.taken = text; }}",
        "refused": "{writeText: async () => { throw new Error(); }}",
        "missing": "undefined",
    }[clipboard]
    tab.value(f"Object.defineProperty(navigator, 'clipboard', {{value: {write}}}) && 0")
    tab.value("document.addEventListener('copy', () => { window.taken = getSelection().toString(); })")
    tab.value("document.querySelector('.patch .copy').focus()")
    tab.press("Enter", 13)
    assert tab.value("document.querySelector('.patch .copy').textContent") == "Copied"
    taken = tab.value("window.taken").rstrip("\n")
    assert taken == "--- a/train.py\n+++ b/train.py\n@@ -1,2 +1,2 @@\n if a:\n-\tb = 2  # <&>\n+\tb = 3"
    assert tab.complaints == []


def test_a_link_to_a_rule_opens_its_text(tab, tmp_path):
    file = tmp_path / "report.html"
    file.write_text(render(whole()), "utf-8")
    tab.show(file)
    rule = "document.getElementById('rule-operand-dtype-mismatch')"
    assert tab.value(f"{rule}.open") is False
    for _ in range(2):  # the second time, the address stays the same
        tab.value("document.querySelector('a.rule').focus()")
        tab.press("Enter", 13)
        assert any(tab.value(f"{rule}.open") for _ in range(1000))
        tab.value(f"{rule}.open = false")
