"""The kinds of change that are tried: one file each, found by discovery; nothing to register.

A file of this folder has `propose(source, site) -> Iterator[Change]`: the changes of that kind at a site. It proposes
freely, since every change is tried; `ORDER` says how near to the mistake its kind is (the nearest is tried first),
`EVERYWHERE` that it looks for its place itself, in each file of the finding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

from ....core.plugins import function, load, value
from ..change import Change
from ..edit_site import EditSite
from ..source import Source

Strategy = Callable[[Source, EditSite], Iterator[Change]]


@cache
def known() -> tuple[tuple[Strategy, bool], ...]:
    """Return all strategies, the nearest to the mistake first, and whether each covers all files."""
    files = load(
        __name__,
        needs=(function("propose", 2), value("ORDER", int)),
        may=(value("EVERYWHERE", bool),),
    )
    modules = sorted(files, key=lambda module: int(module.ORDER))
    return tuple(
        (module.propose, getattr(module, "EVERYWHERE", False)) for module in modules
    )
