"""What the pages show is what happens: each command that they name parses, each session prints what they say."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

from miscast.cli import _parser
from sweep import sweep

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))

import blocks  # noqa: E402

SHOWN = [(page, block) for page in blocks.PAGES for block in blocks.blocks(page)]
QUICK = sorted({page for page, block in SHOWN if block.run and not block.takes})


def _named(text):
    """The command lines of Miscast that a block has, without the program's own arguments behind a pipe or a comment."""
    for line in text.replace("\\\n", " ").splitlines():
        words = line.removeprefix("$ ").strip()
        if re.match(r"miscast (?!\w+:)\S", words) and not re.search(r"…|\.\.\.|PATH", words):
            yield words.partition("  #")[0].partition(" | ")[0].partition(" && ")[0].partition(" > ")[0]


COMMANDS = sorted({words for _, block in SHOWN for words in _named(block.text)})


@sweep("words", COMMANDS)
def test_a_command_that_a_page_names_is_one(words):
    given = shlex.split(words)[1:]
    assert _parser(given[:1]).parse_args(given).run


def test_there_are_commands_and_sessions():
    assert len(COMMANDS) > 30
    assert len(QUICK) > 1


def test_a_session_is_run_or_says_why_it_is_not():
    """By the tests, by `make sessions`, or by nobody; where it takes long, it says how long."""
    sessions = [(page, block) for page, block in SHOWN if block.session]
    assert [f"{page.name}:{block.line}" for page, block in sessions if not (block.run or block.left_out)] == []
    assert [block.takes for _, block in SHOWN if block.takes and not re.fullmatch(r"\d+ s|minutes", block.takes)] == []


def test_no_command_is_cut_short():
    """One with an ellipsis in it is none that could be run."""
    commands = [(page.name, command) for page, block in SHOWN if block.run for command, _ in block.commands()]
    assert [one for one in commands if "…" in one[1]] == []


@sweep(
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
@pytest.mark.parametrize("page", QUICK, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_sessions_print_what_the_page_says(page):
    assert [str(one) for one in blocks.ran(page, quick=True) if not one.said] == []


@pytest.fixture
def page(tmp_path):
    def made(text):
        file = tmp_path / "page.md"
        file.write_text(text, encoding="utf-8")
        return file

    return made


def test_a_page_that_says_otherwise_is_told(page):
    file = page(
        "<!-- in: -->\n<!-- file: a.txt -->\n\n```\none\n```\n\n    $ cat a.txt\n    two\n\n"
        "```\n$ echo a; \\\n  echo b\na\n…\n```\n"
    )
    assert [(one.command, one.printed, one.said) for one in blocks.ran(file)] == [
        ("cat a.txt", "one\n", False),
        ("echo a; echo b", "a\nb\n", True),
    ]


@pytest.mark.parametrize(("comment", "run"), [("", 2), ("<!-- takes: 9 s -->", 1), ("<!-- not run: why -->", 1)])
def test_a_comment_is_about_the_next_block_alone(page, comment, run):
    file = page(f"<!-- in: -->\n{comment}\n\n    $ true\n\nand\n\n    $ true\n")
    assert len(list(blocks.ran(file, quick=True))) == run
    assert len(list(blocks.ran(file))) == run + ("takes" in comment)


def test_no_folder_no_run(page):
    assert list(blocks.ran(page("```\n$ false\n```\n"))) == []
