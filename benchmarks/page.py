"""Write the tables of benchmarks into the docs, each between its own markers."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timezone
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"
END = "<!-- end -->"


def filled(page: Path, command: str, text: str) -> str:
    """Return a page with a text between `<!-- begin: COMMAND -->` and the next end. Exits if a marker is missing."""
    return filled_in(page.read_text(encoding="utf-8"), command, text, page)


def filled_in(whole: str, command: str, text: str, page: Path) -> str:
    """Fill in the text of a page as `filled` does."""
    begin = f"<!-- begin: {command} -->"
    before, begun, rest = whole.partition(begin)
    _, ended, after = rest.partition(END)
    if not begun or not ended:
        raise SystemExit(f"{page}: the markers {begin} … {END} are missing")
    return f"{before}{begin}\n\n{text.strip()}\n\n{END}{after}"


def put(name: str, command: str, text: str) -> None:
    """Put a text into the page `docs/NAME`. If a marker is missing, exits with one line and leaves the page alone."""
    page = DOCS / name
    page.write_text(filled(page, command, text), encoding="utf-8")


def write(command: str, text: str) -> None:
    """Put a text into docs/accuracy.md, after the command that measured it."""
    text = text.strip()
    put("accuracy.md", command, f"`{command}`" + (f":\n\n{text}" if text.startswith("|") else f". {text}"))


def columns(lines: Iterable[str], count: int) -> list[str]:
    """Return the lines of a Markdown table with its first columns only."""
    return [f"|{'|'.join(line.split('|')[1 : count + 1])}|" for line in lines]


def today() -> str:
    """Return the day of a measurement, as in "2026-11-21"."""
    return f"{datetime.now(timezone.utc):%Y-%m-%d}"
