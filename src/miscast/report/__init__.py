"""Report formats, one file each, found by discovery. A format is a file with `render(report) -> str`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from ..core.plugins import function, load, name_of
from .report import Report

__all__ = ["Report", "formats", "renderer"]


def formats() -> tuple[str, ...]:
    """Return the names of the formats: ("json", "text")."""
    return tuple(_renderers())


def renderer(name: str) -> Callable[[Report], str]:
    """Return the function that writes a report in a format. Raises ValueError, with the known ones, for another."""
    render = _renderers(name).get(name)
    if render is None:
        raise ValueError(
            f"unknown format {name[:40]!r}: known formats are {', '.join(formats())}"
        )
    return render


@cache
def _renderers(only: str | None = None) -> dict[str, Callable[[Report], str]]:
    """Return renderers by name, all or one: importing the others takes longer than to read a log."""
    files = load(
        __name__,
        needs=(function("render", 1),),
        helpers=None,
        only=None if only is None else (only,),
    )
    return {name_of(file): file.render for file in files}
