"""The sites of a session, ranked by the error that they add."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .numbers import MEASURED, unit
from .section import Added, Output, Ranking
from .views import ShownRanking

if TYPE_CHECKING:
    from .session import Session
    from .site import Site

_KEPT = 64
_NUMBER = re.compile(r"(?<=\.)\d+")


def ranking(session: Session) -> Ranking:
    """Return the lines ranked by the error that they add, and the modules by the error of their outputs."""
    every = session.watch.sites.values()
    sites = [site for site in every if site.dtype in MEASURED and site.calls]
    return ShownRanking(
        ops=session.shadow.ops,
        steps=session.watch.steps,
        added=tuple(_added(sites)[:_KEPT]),
        outputs=tuple(_outputs(session)[:_KEPT]),
        loss=session.final,
        unknown=dict(session.shadow.unknown),
    )


def _outputs(session: Session) -> list[Output]:
    """Return the outputs whose error reaches the loss first, then those with the largest error."""
    reaches = session.reach.found()
    found = [
        Output(module=path, dtype=dtype, error=error, reaches=reaches.get(path))
        for path, (error, dtype) in session.modules.items()
        if error > 0
    ]
    return sorted(found, key=lambda one: (-(one.reaches or 0.0), -one.error))


def _module(site: Site) -> str:
    path = site.location.module or ""
    return _NUMBER.sub("*", path) if len(site.modules) > 1 else path


def _added(sites: Sequence[Site]) -> list[Added]:
    weights = [site.total * unit(site.dtype) for site in sites]
    whole, numbers = math.fsum(weights), sum(site.elements for site in sites)
    if not whole or not numbers:
        return []
    found = [
        Added(
            location=site.location,
            module=_module(site),
            op=site.op,
            dtype=site.dtype_name,
            phase=site.phase,
            calls=site.calls,
            ulps=site.added,
            share=weight / whole,
            cost=site.elements / numbers,
        )
        for site, weight in zip(sites, weights, strict=True)
        if weight
    ]
    return sorted(found, key=lambda one: -one.share)
