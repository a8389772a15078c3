"""The report as one page that needs nothing else: for a browser, a phone, a printer, and a notebook's cell.

    miscast check --machine v100 --format html --output report.html train.py

`render` gives the page, `fragment` what a notebook shows. All words of programs and logs pass `environment`, which
escapes them; the page's own policy forbids it any request, and any script but its own.
"""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..report import Report


def render(report: Report) -> str:
    """The page."""
    from . import contents
    from .environment import environment, text_of

    script = text_of("page.js")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    page = environment().get_template("page.html")
    return page.render(
        contents.of(report), style=text_of("style.css"), script=script, digest=digest
    )


def fragment(report: Report) -> str:
    """The same for the middle of a page of others: without a script, its style its own."""
    from . import contents
    from .environment import environment, text_of

    inner = environment().get_template("fragment.html")
    return inner.render(
        contents.of(report, lines=1), style=text_of("style.css"), inside=True
    )
