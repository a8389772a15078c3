"""Make a random generator on the device that it is asked for: `torch.Generator(device="cuda")`."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..change import Change, ChangeBuilder
from ..edit_site import EditSite
from ..names import spellings
from ..nodes import called, keyword, name_of, with_argument
from ..source import Source

ORDER = 3
EVERYWHERE = True


def propose(source: Source, site: EditSite) -> Iterator[Change]:
    """Wherever the file makes a generator, for what a generator is on the wrong device."""
    if site.operand != "generator" or site.role != "use":
        return
    reason = "the random numbers are different on another device"
    builder = ChangeBuilder(source=source, site=site, order=ORDER, reason=reason)
    for call in source.of(cst.Call):
        if called(call) == "Generator":
            bare = call.with_changes(args=[*filter(name_of, call.args)])
            new = (
                with_argument(bare, keyword("device", cst.parse_expression(text)))
                for text in spellings(source, call, site)
            )
            yield from builder.replaced(call, *new)
