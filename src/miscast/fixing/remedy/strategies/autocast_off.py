"""Switch an autocast on that the program has switched off: drop `enabled=False`."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..change import Change, ChangeBuilder
from ..edit_site import EditSite
from ..nodes import called, dotted, name_of, spaced
from ..source import Source

ORDER = 28
EVERYWHERE = True


def propose(source: Source, site: EditSite) -> Iterator[Change]:
    """Yield a change for each autocast explicitly off in the file."""
    if site.about != "dtype" or site.role != "use" or not site.blamed:
        return
    reason = "autocast rounds what is computed there"
    builder = ChangeBuilder(
        source=source, site=site, order=ORDER, precision_loss=0, reason=reason
    )
    for call in source.of(cst.Call):
        if called(call) == "autocast":
            kept = [a for a in call.args if not _off(a)]
            if len(kept) < len(call.args):
                yield from builder.replaced(call, call.with_changes(args=spaced(kept)))


def _off(argument: cst.Arg) -> bool:
    return name_of(argument) == "enabled" and dotted(argument.value) == "False"
