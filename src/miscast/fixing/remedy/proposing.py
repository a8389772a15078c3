"""Propose fixes of a finding: every change by a strategy at one of its places, the likeliest first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

import libcst as cst

from ...core.event import Scopes
from ...core.finding import Finding
from .binding import is_handed_over
from .change import Change
from .edit_site import EditSite, edit_sites
from .nodes import called, last
from .source import Source, UnreadableError, parsed_once
from .strategies import known

_HEAD, _NEAR = 2, 40
_PART = 25  # further than the change of the whole module
_LITERAL = 41  # further than a conversion where the tensor is used
_NARROWS = frozenset({"widened-by-one-number"})
"""Rules that the wider dtype does not fix. It widens from the start and takes as much memory."""


class Sources:
    """The user's files as they are at this point of the search.

    The places of findings are lines of the user's own, never of a library: no other file is asked for.
    """

    def __init__(self, changed: Mapping[str, bytes]) -> None:
        """Take `changed` files, which have these bytes, the others those on disk."""
        self._changed = changed
        self._read: dict[str, Source | None] = {}

    def find(self, path: str) -> Source | None:
        """Return a file; None where it cannot be read."""
        if path not in self._read:
            self._read[path] = self._open(path)
        return self._read[path]

    def _open(self, path: str) -> Source | None:
        if path in self._changed:
            return parsed_once(Source(path, self._changed[path]))
        try:
            return Source.read(path)
        except UnreadableError:
            return None


def proposed(finding: Finding, scopes: Scopes, sources: Sources) -> list[Change]:
    """Return every change that might fix a finding, the likeliest first."""
    places = list(edit_sites(finding, scopes))
    handed = _handed_over(places, sources)
    if handed:
        finding = _with_tensors(finding, handed)
        places = list(edit_sites(finding, scopes))
    files = dict.fromkeys(place.location.file for place in places)
    found: list[Change] = []
    for site in places:
        for strategy, everywhere in known():
            wide = everywhere and site.role in ("use", "caller")
            paths = files if wide else (site.location.file,)
            for source in filter(None, map(sources.find, paths)):
                found += strategy(source, site)
    if finding.rule in _NARROWS:
        found = [change for change in map(_sure, found) if change.variants]
    if finding.op.endswith("unscale_"):
        found = list(map(_sparing_the_frozen, found))
    if any(change.site.role == "defined" for change in found):
        found = list(map(_whole_module_first, found))
    found.sort(
        key=lambda one: (one.precision_loss, one.order - one.priority + _spelled(one))
    )
    return _with_a_costly_one_early(found)


def _spelled(change: Change) -> int:
    """Return how much later a change is tried that spells out a device which its class leaves to those who use it."""
    of_tensor = change.site.about == "device" and not change.site.parameter
    literal = of_tensor and all(one.literal for one in change.variants)
    return _LITERAL if literal else 0


def _handed_over(places: Iterable[EditSite], sources: Sources) -> set[str]:
    """Return the weights that a function takes as arguments."""
    weights = ((s, s.failed) for s in places if s.parameter and s.failed is not None)
    there = ((s, at, sources.find(at.file)) for s, at in weights)
    return {
        site.operand
        for site, at, source in there
        if source is not None and is_handed_over(source, replace(site, location=at))
    }


def _with_tensors(finding: Finding, names: set[str]) -> Finding:
    """Return a finding in which operands of these names are no parameters, but tensors like any other."""
    operands = (
        replace(one, role="activation") if one.name in names else one
        for one in finding.operands
    )
    return replace(finding, operands=tuple(operands))


def _whole_module_first(change: Change) -> Change:
    """Return a change of a part where its class makes it as one that is further from the mistake."""
    source = change.source
    here = source.expressions(change.line) if change.site.parameter else ()
    calls = (one for one in here if isinstance(one, cst.Call))
    own = any(source.above(call, cst.ClassDef) for call in calls)
    return replace(change, order=change.order + _PART) if own else change


def _sparing_the_frozen(change: Change) -> Change:
    """Return a change of a model's dtype as a costly one if its file freezes weights: those are in half on purpose."""
    whole = change.site.role == "cast" and _freezes(change.source)
    return replace(change, precision_loss=1) if whole else change


@lru_cache(maxsize=16)
def _freezes(source: Source) -> bool:
    froze = (one for one in source.of(cst.Call) if called(one) == "requires_grad_")
    asked = (last(one) == "requires_grad" for one in source.of(cst.Attribute))
    return any(asked) or any(source.text(one).endswith("(False)") for one in froze)


def _sure(change: Change) -> Change:
    """Keep the variants known to give the wanted dtype. The wider one also fixes it, but only by the rule."""
    sure = (one for one in change.variants if one.sure or one.literal)
    return replace(change, variants=tuple(sure))


def _with_a_costly_one_early(changes: list[Change]) -> list[Change]:
    """Move one precision-losing change near the front, since it may be the only fix."""
    rest = changes[_HEAD:]
    near = (change for change in rest if change.order < _NEAR)
    costly = next((change for change in near if change.precision_loss == 1), None)
    if costly is None:
        return changes
    others = (change for change in rest if change is not costly)
    return [*changes[:_HEAD], costly, *others]
