"""Users read plain words: the phrases of forbidden.txt are in no message, help page or note.

Looked at are the string literals of the package (not its docstrings and comments), the templates of the HTML report,
the pages of the commands, the pages in Markdown, with what they show of a terminal, and the JSON Schemas' descriptions.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
PACKAGE = ROOT / "src" / "miscast"

PAGES = ("*.md", "*.yml", ".*.yaml", "docs/*.md", "docs/recipes/*.md", "recipes/*.md", "corpus/*.md")
TEMPLATES = "src/miscast/report/html/templates/*.html"

ALLOWED: dict[str, tuple[str, ...]] = {
    "src/miscast/commands/shells.py": ("wants=0", "(( wants ))"),  # a variable of the script
    "action.yml": ("github_action tell", "id: tell", "steps.tell"),  # the names of a step
    "docs/guard.md": ('"event":"trip"',),  # a value in the log
    "docs/recipes/vqa_multi_gpu.md": ("masters.scale",),  # a line of the recipe
}
"""By file: phrases that are quoted from elsewhere, such as torch's own messages."""


@cache
def forbidden() -> tuple[tuple[re.Pattern[str], str], ...]:
    lines = (HERE / "forbidden.txt").read_text().splitlines()
    pairs = [line.rpartition(" -> ") for line in lines if line and not line.startswith("#")]
    return tuple((re.compile(phrase, re.IGNORECASE), instead) for phrase, _, instead in pairs)


_DOCSTRING_OR_COMMENT = r"""^[ ]*[rf]?\"{3}[\s\S]*?\"{3}|\#[^\n]*"""
_STRING = r"""\"{3}[\s\S]*?\"{3}|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'"""
_STRINGS = re.compile(rf"{_DOCSTRING_OR_COMMENT}|(?P<text>(?:{_STRING})(?:\s+f?(?:{_STRING}))*)", re.MULTILINE)
_BETWEEN = re.compile(r"""["']\s+f?["']""")


def is_suspicious(source: str) -> bool:
    """Whether a string of the source may have a phrase: as quick as `literals` is thorough."""
    found = (_BETWEEN.sub("", one["text"]) for one in _STRINGS.finditer(source) if one["text"])
    return any(phrase.search(text) for text in found if " " in text for phrase, _ in forbidden())


def literals(source: str) -> Iterator[tuple[int, str]]:
    """Each literal of several words, an f-string with `{}` for its values, or with the words that it picks from."""
    tree = ast.parse(source)
    skipped: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(node.value)
        elif isinstance(node, ast.JoinedStr):
            skipped.update(part for part in node.values if isinstance(part, ast.Constant))
    for node in ast.walk(tree):
        if node in skipped:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        elif isinstance(node, ast.JoinedStr):
            text = "".join(map(_part, node.values))
        else:
            continue
        if re.search(r"\w \w", text):
            yield node.lineno, text


def _part(part: ast.expr) -> str:
    """Return the text of a part of an f-string: for `{'a' if x else 'b'}` both."""
    if isinstance(part, ast.Constant):
        return str(part.value)
    picked = part.value if isinstance(part, ast.FormattedValue) else None
    ways = (picked.body, picked.orelse) if isinstance(picked, ast.IfExp) else ()
    return " / ".join(str(way.value) for way in ways if isinstance(way, ast.Constant)) or "{}"


def prose(page: str) -> Iterator[tuple[int, str]]:
    """The lines of a page in Markdown, without code, but with blocks of no language: they show a terminal."""
    block: str | None = None
    for number, line in enumerate(page.splitlines(), 1):
        fence = re.match(r"\s*(?:```+|~~~+)(\w*)", line)
        if fence:
            block = fence[1] if block is None else None
        elif not block:
            yield number, line if block == "" else re.sub(r"`[^`]*`", "`", line)


def shown(template: str) -> Iterator[tuple[int, str]]:
    """The lines of a template without tags, statements and expressions."""
    text = re.sub(r"\{([{%#]).*?[}%#]\}|<[^>]*>", lambda part: "\n" * part[0].count("\n"), template, flags=re.DOTALL)
    yield from enumerate(text.splitlines(), 1)


def faults(name: str, texts: Iterator[tuple[int, str]]) -> Iterator[str]:
    for line, text in texts:
        for phrase, instead in forbidden():
            found = phrase.search(text)
            if found and not any(one in text for one in ALLOWED.get(name, ())):
                yield f"{name}:{line}: {found[0]!r} in {text.strip()[:80]!r}: write {instead}"


def test_messages_are_in_plain_words():
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        source = path.read_text()
        if is_suspicious(source):
            found += faults(path.relative_to(ROOT).as_posix(), literals(source))
    assert not found, "\n".join(found)


def test_help_pages_are_in_plain_words():
    found = []
    for path in sorted((PACKAGE / "commands").glob("*.py")):
        page = ast.get_docstring(ast.parse(path.read_text())) or ""
        if "\ndef run(" in path.read_text():
            found += faults(path.relative_to(ROOT).as_posix(), iter([(1, page)]))
    assert not found, "\n".join(found)


def test_pages_are_in_plain_words():
    found = []
    for path in sorted(page for pattern in PAGES for page in ROOT.glob(pattern)):
        found += faults(path.relative_to(ROOT).as_posix(), prose(path.read_text()))
    assert not found, "\n".join(found)


def test_templates_are_in_plain_words():
    found = []
    for path in sorted(ROOT.glob(TEMPLATES)):
        found += faults(path.relative_to(ROOT).as_posix(), shown(path.read_text()))
    assert not found, "\n".join(found)


def test_schemas_are_in_plain_words():
    found = []
    for path in sorted(ROOT.glob("docs/*.schema.json")):
        lines = [line for line in enumerate(path.read_text().splitlines(), 1) if '"description":' in line[1]]
        found += faults(path.relative_to(ROOT).as_posix(), iter(lines))
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("`x` is born at line 3", "born"),
        ("the report tells of it", "tells"),
        ("it is no dtype", "is no dtype"),
        ("made in the box", "in the box"),
    ],
)
def test_a_forbidden_phrase_is_found(text, phrase):
    (fault,) = faults("a.py", iter([(7, text)]))
    assert fault.startswith(f"a.py:7: {phrase!r} in ")


@pytest.mark.parametrize(
    "text",
    [
        "created at line 3", "it is no longer used", "the data is not read", "explored in part", "if fp16 is None",
        "there is none", "if there are none", "as soon as it is found", "--on-trip skip", "a Trip", "guarding/trip.py",
    ],
)
def test_plain_words_are_left_alone(text):
    assert not list(faults("a.py", iter([(1, text)])))


def test_code_is_not_looked_at():
    assert list(literals('"""born at"""\nx = f"{a} is born"  # told of\ny = "born"')) == [(2, "{} is born")]
    assert [text for _, text in literals("f\"{n} is {'born' if x else f(y)}\"")] == ["{} is born"]
    assert list(prose("born\n```python\nborn\n```\n`born` too")) == [(1, "born"), (5, "` too")]
    assert list(shown("<p\nid=born>a {{ born }}</p>\n{% if born is none %}b")) == [(1, ""), (2, "a "), (3, "b")]


def test_a_terminal_is_looked_at():
    assert list(prose("```\n$ a\n`x` born\n```\nb")) == [(2, "$ a"), (3, "`x` born"), (5, "b")]
