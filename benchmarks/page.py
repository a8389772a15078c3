"""The tables that benchmarks write into the docs, each between its own markers."""

from __future__ import annotations

from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"
END = "<!-- end -->"


def write(name: str, command: str, text: str) -> None:
    """Put a text between `<!-- begin: COMMAND -->` and the end after it, in the page `docs/NAME`.

    Exits with one line, and the page is as it was, if it lacks the markers.
    """
    page, begin = DOCS / name, f"<!-- begin: {command} -->"
    before, begun, rest = page.read_text(encoding="utf-8").partition(begin)
    _, ended, after = rest.partition(END)
    if not begun or not ended:
        raise SystemExit(f"{page}: the markers {begin} … {END} are missing")
    page.write_text(f"{before}{begin}\n\n{text.strip()}\n\n{END}{after}", encoding="utf-8")
