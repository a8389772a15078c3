"""The tables that benchmarks write into the docs, each between its own markers."""

from __future__ import annotations

from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"
END = "<!-- end -->"


def filled(page: Path, command: str, text: str) -> str:
    """A page with a text between `<!-- begin: COMMAND -->` and the end after it. Exits if it lacks the markers."""
    return filled_in(page.read_text(encoding="utf-8"), command, text, page)


def filled_in(whole: str, command: str, text: str, page: Path) -> str:
    """As `filled`, of the text of a page."""
    begin = f"<!-- begin: {command} -->"
    before, begun, rest = whole.partition(begin)
    _, ended, after = rest.partition(END)
    if not begun or not ended:
        raise SystemExit(f"{page}: the markers {begin} … {END} are missing")
    return f"{before}{begin}\n\n{text.strip()}\n\n{END}{after}"


def write(name: str, command: str, text: str) -> None:
    """Put a text into the page `docs/NAME`; exits with one line, and the page is as it was, if it lacks the markers."""
    page = DOCS / name
    page.write_text(filled(page, command, text), encoding="utf-8")
