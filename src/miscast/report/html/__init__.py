"""The report as one self-contained HTML page, and as the output of a notebook cell.

    miscast check --machine v100 --format html --output report.html train.py

`render` makes the page, `fragment` what a notebook shows. All text of programs and logs passes `environment`, which
escapes it. The page's Content-Security-Policy forbids every request, and every script except its own.
"""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..report import Report


def render(report: Report) -> str:
    """Return the page."""
    from . import contents
    from .environment import environment, text_of

    script = text_of("page.js")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    page = environment().get_template("page.html")
    return page.render(
        contents.of(report), style=text_of("style.css"), script=script, digest=digest
    )


def fragment(report: Report) -> str:
    """Return the report as a part of another page, with its style and without a script."""
    from . import contents
    from .environment import environment, text_of

    inner = environment().get_template("fragment.html")
    return inner.render(
        contents.of(report, lines=1), style=text_of("style.css"), inside=True
    )
