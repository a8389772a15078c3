"""Switch off a GradScaler that has nothing to scale: `GradScaler(enabled=False)`."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..change import Change, ChangeBuilder
from ..edit_site import EditSite
from ..nodes import called, keyword, with_argument
from ..source import Source

ORDER = 70
EVERYWHERE = True


def propose(source: Source, site: EditSite) -> Iterator[Change]:
    """Yield a change for every GradScaler in the file, if one was used."""
    if "GradScaler" not in site.op or site.role != "use":
        return
    reason = "small float16 gradients become zero"
    builder = ChangeBuilder(
        source=source, site=site, order=ORDER, precision_loss=1, reason=reason
    )
    for call in source.of(cst.Call):
        if called(call) == "GradScaler":
            off = with_argument(call, keyword("enabled", cst.Name("False")))
            yield from builder.replaced(call, off)
