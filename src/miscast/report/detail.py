"""How much of a finding is told, all of it or ever less, so that a paragraph stays short."""

from __future__ import annotations

from ..frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """How much is told: of consequences, of torch's text (lines), of callers, of what followed a birth, of ways out.

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
"""From all to least; the first one that fits is taken."""
