"""Hooks of mkdocs: pages that are made for the site alone, and links that lead out of it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

OUTSIDE = re.compile(r"\[([^\]\n]+)\]\(((?:\.\./)+)([\w./-]+)(?:#[\w-]+)?\)")


def on_files(files: Files, *, config: MkDocsConfig) -> None:
    """Add the pages that are not in git."""
    sys.path.append(str(Path(__file__).parent))
    from generate import SITE, texts

    for name, text in texts(SITE).items():
        files.append(File.generated(config, name, content=text))


def on_page_markdown(markdown: str, *, page: object, **_: object) -> str:
    """Return the text of a page; a link that leads out of docs/ becomes the path that it names in the repository."""
    deep = page.file.src_uri.count("/")  # type: ignore[attr-defined]

    def told(link: re.Match[str]) -> str:
        title, up, path = link.groups()
        if up.count("../") <= deep:
            return link.group()
        return title if path in title else f"{title} (`{path}`)"

    return OUTSIDE.sub(told, markdown)
