"""A hook of mkdocs: what a page links to outside of docs/ is no page of the site, and its name is told instead."""

from __future__ import annotations

import re

OUTSIDE = re.compile(r"\[([^\]\n]+)\]\(((?:\.\./)+)([\w./-]+)(?:#[\w-]+)?\)")


def on_page_markdown(markdown: str, *, page: object, **_: object) -> str:
    """The text of a page; a link that leads out of docs/ becomes the path that it names, as in the repository."""
    deep = page.file.src_uri.count("/")  # type: ignore[attr-defined]

    def told(link: re.Match[str]) -> str:
        title, up, path = link.groups()
        if up.count("../") <= deep:
            return link.group()
        return title if path in title else f"{title} (`{path}`)"

    return OUTSIDE.sub(told, markdown)
