"""Calls in code, each by itself: what one of them is given says nothing of the next."""

from __future__ import annotations

from collections.abc import Iterator

from .run import Run
from .view import View


def calls(run: Run, *names: str) -> Iterator[View]:
    """The calls of torch and its libraries, in the file's order; only of those whose name ends so, if any is said."""
    library = run.view("torch")
    for document in library.documents:
        if not names or document.name.endswith(names):
            yield View(library.system, (document,))
