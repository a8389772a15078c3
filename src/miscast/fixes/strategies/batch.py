"""Convert what a loop takes from a data loader, at the head of its body: `x, y = x.to(device), y.to(device)`."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from ..change import Change, Maker, Spelling, rounds
from ..edit_site import Spot
from ..names import place, spellings
from ..nodes import dotted, targets
from ..rounding import spoils, uses_in
from ..source import Source

ORDER = 35


def ways(source: Source, spot: Spot) -> Iterator[Change]:
    """At a line `for batch in …:`, or in the loop around a line that uses or calls."""
    if spot.role in ("absent", "forbidden") or spot.parameter:
        return
    statement = source.statement(spot.location.line)
    if statement is None or spot.role not in ("loaded", "caller", "use"):
        return
    loop = next((n for n in (statement, *source.around(statement)) if isinstance(n, (cst.For, cst.FunctionDef))), None)
    if not isinstance(loop, cst.For):
        return
    make = Maker(source=source, spot=spot, order=ORDER + (0 if loop is statement else 5))
    odd = [dotted(n) for n in targets(loop.target) if dotted(n).strip("_") and _may_be_odd(spot, dotted(n))]
    names = [name for name in odd if not _is_written(source.text(loop.body), name)]
    texts = list(spellings(source, loop.iter, spot, iter(())))
    if len(names) > 1 and spot.about == "device":
        all_ = [(", ".join(names), ", ".join(f"{name}.to({t})" for name in names)) for t in texts]
        yield from _line(make, loop, [f"{left} = {right}" for left, right in all_])
    for name in names:
        if rounds(spot) and spoils(source, *uses_in(loop, name)):
            continue
        if spot.names.get(name) != "dict":
            yield from _line(make, loop, [f"{name} = {name}.to({t})" for t in texts])
        if spot.about == "device":
            yield from _line(make, loop, [f"{name} = {{k: v.to({t}) for k, v in {name}.items()}}" for t in texts])
            if spot.names.get(name) != "dict":
                yield from _line(make, loop, [f"{name} = [v.to({t}) for v in {name}]" for t in texts])


def _line(make: Maker, loop: cst.For, texts: list[str]) -> Iterator[Change]:
    source = make.source

    def spelling(text: str) -> Spelling:
        title = f"begin the loop at {place(make.spot.location).partition(':')[0]}:{source.line(loop)} with {text}"
        spells = make.spells(cst.parse_statement(text))
        return Spelling(title=title, write=lambda: source.after(loop, text), literal=spells)

    yield from make.written(source.line(loop), *map(spelling, texts))


def _is_written(body: str, name: str) -> bool:
    """Whether a loop writes to what a name stands for, in place: of a copy nobody would see it."""
    return re.search(rf"\b{re.escape(name)}\.\w+[a-z]_\(", body) is not None


def _may_be_odd(spot: Spot, name: str) -> bool:
    """Whether a name may stand for what is odd, or hold it."""
    return spot.odd(name) is not False or spot.names[name] in ("", "dict")
