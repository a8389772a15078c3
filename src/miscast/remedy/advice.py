"""Advice that was not tried: of the changes that `fixes/` would try, the two that are likeliest to fix a finding.

cast `x` at train.py:14: .to(latent.dtype)              where the failing call takes it: nothing else meets it
give `torch.ones` dtype=latent.dtype, at train.py:12    where it was created
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice

from ..event import Scene, Scopes
from ..finding import Finding, Fix
from .change import BLUNT, Change
from .diffs import edited
from .plain_words import in_words
from .proposing import Sources, proposed


def with_edits(
    findings: Sequence[Finding], scenes: Iterable[Scene]
) -> tuple[Finding, ...]:
    """Return the findings with edits in place of words."""
    scopes = {(one.op, one.file, one.line): one.scopes for one in scenes}
    sources = Sources({})
    return tuple(
        _with_edits(
            one, scopes.get((one.op, one.location.file, one.location.line), {}), sources
        )
        for one in findings
    )


def _with_edits(finding: Finding, scopes: Scopes, sources: Sources) -> Finding:
    words = in_words(finding)
    if words not in finding.fixes:
        return finding
    fixes = _fixes(finding, scopes, sources) or (words,)
    index = finding.fixes.index(words)
    return replace(
        finding, fixes=(*finding.fixes[:index], *fixes, *finding.fixes[index + 1 :])
    )


def _fixes(finding: Finding, scopes: Scopes, sources: Sources) -> tuple[Fix, ...]:
    fixes: dict[str, Fix] = {}
    for change in chosen(proposed(finding, scopes, sources)):
        variant = change.variants[change.first]
        data = variant.write()
        if data is not None:
            source = change.source
            edits = tuple(edited(source.path, source.data, data))
            fixes[variant.title] = Fix(
                title=variant.title, edits=edits if source.is_file else ()
            )
    return tuple(fixes.values())


def chosen(changes: Sequence[Change]) -> list[Change]:
    """Return the change at the failing call and the likeliest of those before it; without either, the two likeliest.

    What is cast on the line of the failing call itself needs no second cast there.
    """
    own = [one for one in changes if one.site.blamed and one.order < BLUNT]
    own = [one for one in own if not _is_guess(one)] or own[:1]
    here = next((one for one in own if one.exact), None)
    before = next((one for one in own if one.site.role != "use"), None)
    if here is None or before is None:
        first = own[:1] if here is None else [here]
        elsewhere = (
            one
            for one in own
            if one.line != first[0].line
            and (one.site.parameter or one.site.role != "caller")
        )
        return [*first, *islice(elsewhere, 1)]
    at_once = before.site.role in ("cast", "moved") and before.line == here.line
    return [before] if at_once else [here, before]


def _is_guess(change: Change) -> bool:
    """Check whether a change converts something on the line of the failing call that may not be its operand."""
    site = change.site
    on_line = site.role == "use" and change.line == site.location.line
    return on_line and not change.exact and site.failed is not None
