"""Calls that a trial may meet and go on: the findings that its change should leave."""

from __future__ import annotations

from collections.abc import Sequence

Met = tuple[str, str, str, int]
"""Op, "dtype" or "device", file and line of a call that broke a contract."""
Expected = tuple[str, str, str, int, int]
"""A finding that may show: op, "dtype" or "device", file, and the first and last line on which it may be."""


def is_expected(met: Met, expected: Sequence[Expected] | None) -> bool:
    """Check whether a trial goes on after this call; None expects every call."""
    *what, line = met
    ranges = ((first, last) for *same, first, last in expected or () if what == same)
    return expected is None or any(first <= line <= last for first, last in ranges)
