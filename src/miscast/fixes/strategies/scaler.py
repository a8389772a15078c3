"""Switch off a GradScaler that has nothing to scale: `GradScaler(enabled=False)`."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..change import Change, Maker, Spelling
from ..edit_site import Spot
from ..nodes import called, keyword, with_argument
from ..source import Source

ORDER = 70
EVERYWHERE = True


def ways(source: Source, spot: Spot) -> Iterator[Change]:
    """For what a GradScaler met, wherever the file makes one."""
    if "GradScaler" not in spot.op or spot.role != "use":
        return
    make = Maker(source=source, spot=spot, order=ORDER)
    for call in source.of(cst.Call):
        if called(call) == "GradScaler":
            yield from _off(make, call)


def _off(make: Maker, call: cst.Call) -> Iterator[Change]:
    source = make.source
    new = with_argument(call, keyword("enabled", cst.Name("False")))
    title = f"switch off the scaler at {source.name}:{source.line(call)}: {source.text(new)}"
    spelling = Spelling(title=title, write=lambda: source.with_node(call, new))
    yield from make.written(source.line(call), spelling, harm=1, reason="small float16 gradients become zero")
