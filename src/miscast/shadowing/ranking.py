"""The sites of a session, ranked by the error that they add."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .numbers import MEASURED, unit
from .section import Added, Output, Ranking

if TYPE_CHECKING:
    from .session import Session
    from .site import Site

_KEPT = 64


def ranking(session: Session) -> Ranking:
    """Lines by what they add, modules by how far off their outputs are."""
    sites = [
        site
        for site in session.watch.sites.values()
        if site.dtype in MEASURED and site.calls
    ]
    return Ranking(
        ops=session.shadow.ops,
        steps=session.watch.steps,
        added=tuple(_added(sites)[:_KEPT]),
        outputs=tuple(
            Output(module=path, dtype=dtype, error=error)
            for path, (error, dtype) in sorted(
                session.modules.items(), key=lambda item: -item[1][0]
            )[:_KEPT]
            if error > 0
        ),
        loss=session.final,
        unknown=dict(session.shadow.unknown),
    )


def _added(sites: Sequence[Site]) -> list[Added]:
    weights = [site.total * unit(site.dtype) for site in sites]
    whole, numbers = math.fsum(weights), sum(site.elements for site in sites)
    if not whole or not numbers:
        return []
    found = [
        Added(
            location=site.location,
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
