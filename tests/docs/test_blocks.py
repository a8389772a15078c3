"""What the pages show is what happens: each command that they name parses, each session prints what they say."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

from miscast.cli import _parser

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))

import blocks  # noqa: E402

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SHOWN = [(page, block) for page in PAGES for block in blocks.blocks(page)]
SESSIONS = sorted({page for page, block in SHOWN if block.session and block.folder and not block.left_out})


def _named(text):
    """The command lines of Miscast that a block has, without the program's own arguments behind a pipe or a comment."""
    for line in text.replace("\\\n", " ").splitlines():
        words = line.removeprefix("$ ").strip()
        if re.match(r"miscast (?!\w+:)\S", words) and "…" not in words and "PATH" not in words:
            yield words.partition("  #")[0].partition(" | ")[0].partition(" && ")[0].partition(" > ")[0]


COMMANDS = sorted({words for _, block in SHOWN for words in _named(block.text)})


@pytest.mark.parametrize("words", COMMANDS)
def test_a_command_that_a_page_names_is_one(words):
    given = shlex.split(words)[1:]
    assert _parser(given[:1]).parse_args(given).run


def test_there_are_commands_and_sessions():
    assert len(COMMANDS) > 30
    assert len(SESSIONS) > 1


@pytest.mark.parametrize(
    ("said", "printed", "fit"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\n…\nz\n", "a\nb\nc\nz\n", True),
        ("a\n…\nz\n", "a\nz\n", True),
        ("a\n…\nz\n", "a\nb\n", False),
        ("lo… c\n", "long c\n", True),
        ("lo… c\n", "long\nc\n", False),
        ("a(b\n", "a(b\n", True),
        ("a.b\n", "a-b\n", False),
        ("", "", True),
        ("", "a\n", False),
        ("a\n", "a\nb\n", False),
        ("a\n…\n", "a\nb\n", True),
    ],
)
def test_an_ellipsis_stands_for_any_text_and_nothing_else_does(said, printed, fit):
    assert blocks.fits(said, printed) is fit


@pytest.mark.slow
@pytest.mark.parametrize("page", SESSIONS, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_sessions_print_what_the_page_says(page):
    assert [f"{block.line}: $ {command}\n{printed}" for block, command, printed in blocks.wrong(page)] == []
