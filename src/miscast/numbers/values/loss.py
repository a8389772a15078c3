"""Precision losses at their places, as a detector saw them: the worst at each place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...core.event import Operand
    from .site import Site


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """`form` decides the help, as the rule's table has it.

    `weight` orders losses of one rule at one place: the worst is told. `also` are other places that belong to it.
    `blamed` is the tensor to blame, if that is not the one of the site.
    """

    rule: str
    site: Site
    says: str
    form: str = ""
    weight: float = 1.0
    also: tuple[tuple[str, Site], ...] = ()
    blamed: Operand | None = None


class Losses:
    """Each rule's worst loss at each line, and how often it was met."""

    def __init__(self) -> None:
        self._worst: dict[tuple[str, str, int], Loss] = {}
        self.counts: dict[tuple[str, str, int], int] = {}

    def add(self, loss: Loss) -> None:
        """Add a precision loss."""
        key = self._key(loss.rule, loss.site)
        known = self._worst.get(key)
        if known is None or loss.weight > known.weight:
            self._worst[key] = loss
        self.counts[key] = self.counts.get(key, 0) + 1

    def withdraw(self, rule: str, site: Site, form: str | None = None) -> None:
        """Remove a precision loss, or only one of this form, that later ops show to be intended."""
        key = self._key(rule, site)
        known = self._worst.get(key)
        if known is not None and form in (None, known.form):
            del self._worst[key]

    def withdraw_where(self, rule: str, phase: str) -> None:
        """Remove all precision losses of a rule in a phase."""
        for key, loss in list(self._worst.items()):
            if loss.rule == rule and loss.site.phase == phase:
                del self._worst[key]

    def all(self) -> list[tuple[Loss, int]]:
        """Return the precision losses in the order in which they occurred, with their counts."""
        return [(loss, self.counts[key]) for key, loss in self._worst.items()]

    @staticmethod
    def _key(rule: str, site: Site) -> tuple[str, str, int]:
        return rule, site.location.file, site.location.line
