"""Propose edits and word them. This is the only proposer.

    advised(findings, scenes)      each finding with the edits that are likeliest to fix it, not tried

A finding has places where it could be fixed (`edit_site.py`): where the offending tensor was created, cast, promoted
and used. At each place `strategies/` propose changes of the code (`proposing.py`), and `words.py` words a change by
what it writes. `fixes/` tries these changes; a report shows the first two of those that were not tried (`advice.py`).
`safety.py` decides whether a change keeps all numbers. No code runs here, and LibCST is imported only where a program
has findings.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...core.event import Scene
from ...core.finding import Finding
from .plain_words import fits_alone, in_words, of_hook, place

__all__ = ["advised", "fits_alone", "in_words", "of_hook", "place"]


def advised(
    findings: Sequence[Finding], scenes: Iterable[Scene] = ()
) -> tuple[Finding, ...]:
    """Return the findings with edits in place of words. `scenes` say what is in scope."""
    if not findings:
        return ()
    from .advice import with_edits

    return with_edits(findings, scenes)
