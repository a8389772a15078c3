"""Levels of detail of a finding, from all to ever less, so that a paragraph is short."""

from __future__ import annotations

from ..core.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """Amounts to report: consequences, lines of torch's text, callers, events after creation, ways out.

    `code` is the width from which source stands in a column beside the rest, cut short; `own`: else on lines of its
    own. `operands` are told at most so many.
    """

    also: int = 3
    error: int = 9
    related: int = 9
    around: int = 3
    fixes: int = 9
    code: int = 40
    own: bool = True
    operands: int = 9


ALL = Detail()
LESS = (
    ALL,
    Detail(also=1),
    Detail(also=1, code=24),
    Detail(also=1, code=24, related=2, around=1),
    Detail(error=1, also=1, code=24, related=2, around=1),
    Detail(error=1, also=1, code=16, related=2, around=1, own=False),
    Detail(error=1, also=1, code=16, related=1, around=1, own=False, operands=3),
    Detail(
        error=1, also=0, code=16, related=1, around=1, own=False, operands=2, fixes=1
    ),
)
"""Levels from all to least. The first that fits is used."""
