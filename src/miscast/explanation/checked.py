"""A library's own check that raised, and not what its line calls."""

from __future__ import annotations

from ..regex import regex
from .frame import Frame

_CHECKS = regex(r"_*(?:check|assert|validate|verify|ensure)_")
"""Functions that do nothing but to compare what they are given."""


def raises_itself(frame: Frame, *, asserted: bool) -> bool:
    """Whether a line does not call what failed, but says that a check of its own did."""
    if frame.library == "torch":
        return False
    if _CHECKS.match(frame.method) and not frame.code:
        return True
    return frame.code.startswith("raise ") or (
        asserted and frame.code.startswith("assert ")
    )
