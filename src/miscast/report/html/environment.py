"""The templates, and the one way of text into a page: escaped, and without control characters.

A name may contain `</script>`, quotes, a NUL, or marks that change the direction of text; the page shows it as text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ..wording import printable

_HERE = Path(__file__).parent / "templates"
_UNPRINTABLE = "\N{REPLACEMENT CHARACTER}"
_KEPT = ("\n", "\t")


@cache
def environment() -> Environment:
    """Return the templates of this package."""
    made = Environment(
        loader=FileSystemLoader(_HERE),
        autoescape=True,
        finalize=_harmless,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["points"] = _points
    return made


def text_of(file: str) -> Markup:
    """Return a file that goes into a page unchanged."""
    return Markup((_HERE / file).read_text("utf-8"))  # noqa: S704 - a file of this package


def _harmless(value: Any) -> Any:
    """Return a string without control characters except line ends and tabs, which a copied diff needs."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    if value.isprintable():
        return value
    return "".join(
        part if part in _KEPT else printable(part, instead=_UNPRINTABLE)
        for part in re.split(r"([\n\t])", value)
    )


def _points(points: Iterable[tuple[float, float]]) -> str:
    """Return points as SVG writes them: "12,30.5 14,31"."""
    return " ".join(f"{x:.5g},{y:.5g}" for x, y in points)
