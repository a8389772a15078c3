"""Give the call that makes a tensor its dtype or device: `torch.ones(n, 1, dtype=latent.dtype)`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import libcst as cst

from ...remedy.safety import widens
from ..change import Change, Maker, rounds
from ..edit_site import Spot
from ..names import likes, place, spellings
from ..nodes import dotted, keyword, with_argument
from ..rounding import spoils
from ..source import Source

ORDER = 10
_STATED = 45  # further from the mistake: somebody wrote the dtype down
_SCHEDULES = frozenset({"linspace", "logspace", "arange"})
_PLAIN = frozenset({"from_numpy", "load", "as_subclass"})  # they take no dtype


def ways(source: Source, spot: Spot) -> Iterator[Change]:
    """At the line where a tensor was born, if the call stands there."""
    if spot.role not in ("born", "loaded", "given") or spot.op in _PLAIN:
        return
    make = Maker(source=source, spot=spot, order=ORDER)
    for call in source.calls(spot.location.line, spot.op):
        if rounds(spot) and spoils(source, call):
            continue
        names = spellings(source, call, spot, likes(source, call, spot.beside))
        new = []
        for text in names:
            value = cst.parse_expression(text)
            title = f"give `{dotted(call.func) or spot.op}` {spot.about}={text}, at {place(spot.location)}"
            new.append((title, with_argument(call, keyword(spot.about, value))))
        stated = any(a.keyword is not None and a.keyword.value == spot.about for a in call.args)
        maker = replace(make, order=ORDER + _STATED) if stated and not spot.blamed else make
        yield from maker.replaced(call, *new, op=spot.op, harm=_harm(spot))


def _harm(spot: Spot) -> int:
    """A schedule is computed with: it is rounded where it is used, not where it is made."""
    return max(spot.harm, int(spot.op in _SCHEDULES and spot.about == "dtype" and not widens(spot.have, spot.want)))
