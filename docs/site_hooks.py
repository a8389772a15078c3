"""Hooks of mkdocs: generate the reference pages, and turn links that leave docs/ into paths."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

OUTSIDE = re.compile(r"\[([^\]\n]+)\]\(((?:\.\./)+)([\w./-]+)(?:#[\w-]+)?\)")


def on_files(files: Files, *, config: MkDocsConfig) -> None:
    """Add the pages that are generated from the code, in place of their copies in git."""
    sys.path.append(str(Path(__file__).parent))
    from reference import SITE, texts

    for name, text in texts(SITE).items():
        copy = files.get_file_from_path(name)
        if copy is not None:
            files.remove(copy)
        files.append(File.generated(config, name, content=text))


def on_page_markdown(markdown: str, *, page: object, **_: object) -> str:
    """Return the text of a page in which each link that leaves docs/ is a path in the repository."""
    deep = page.file.src_uri.count("/")  # type: ignore[attr-defined]

    def as_path(link: re.Match[str]) -> str:
        title, up, path = link.groups()
        if up.count("../") <= deep:
            return link.group()
        return title if path in title else f"{title} (`{path}`)"

    return OUTSIDE.sub(as_path, markdown)
