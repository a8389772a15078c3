"""The templates, and the one way of words into a page: escaped, and without what steers an eye.

A name may hold `</script>`, quotes, a NUL, or marks that turn the direction of text: here it is only a name.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ..rule_page import page
from ..wording import printable

_HERE = Path(__file__).parent / "templates"
_UNPRINTABLE = "\N{REPLACEMENT CHARACTER}"


@cache
def environment() -> Environment:
    """The templates of this package."""
    made = Environment(
        loader=FileSystemLoader(_HERE),
        autoescape=True,
        finalize=_harmless,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["points"] = _points
    made.globals["page"] = page
    return made


def text_of(file: str) -> Markup:
    """A file that goes into a page as it is."""
    return Markup((_HERE / file).read_text("utf-8"))  # noqa: S704 - a file of this package


def _harmless(value: Any) -> Any:
    """A string without control characters, but for its ends of lines; tabs are spaces."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    if value.isprintable():
        return value
    return "\n".join(
        printable(line, instead=_UNPRINTABLE)
        for line in value.expandtabs(4).split("\n")
    )


def _points(points: Iterable[tuple[float, float]]) -> str:
    """As SVG writes them: "12,30.5 14,31"."""
    return " ".join(f"{x:.5g},{y:.5g}" for x, y in points)
