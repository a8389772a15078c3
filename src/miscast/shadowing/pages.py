"""The page of each kind of loss, read off its file: no torch is needed to read about it."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..findings.aliases import RETIRED


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A rule's name and what its file says about it."""

    name: str
    page: str

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.partition("\n")[0]


@cache
def known() -> tuple[Page, ...]:
    """Return one for each rule of `losses/`, by name: some of its files find what another rule tells."""
    files = sorted((Path(__file__).parent / "losses").glob("[a-z]*.py"))
    return tuple(
        Page(
            name=file.stem.replace("_", "-"),
            page=ast.get_docstring(ast.parse(file.read_text("utf-8"))) or "",
        )
        for file in files
        if file.stem.replace("_", "-") not in RETIRED
    )
