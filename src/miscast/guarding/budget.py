"""How often something may be done, so that all of it stays within a share of the program's time.

Time earns credit, and what is done costs what it cost the last times. So a check of 2 % of a step is made at every
other step of a budget of 1 %, and one of 0.01 % at each.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

_CALM = 0.3
_SAVED = 5.0
"""Seconds whose credit can be saved up."""


class Budget:
    """A share of the time since it was made."""

    def __init__(self, share: float) -> None:
        """`share` of 0.01 is one percent."""
        self.share = share
        self._credit = 0.0
        self._since = time.perf_counter()
        self._costs: dict[str, float] = {}

    def earn(self) -> None:
        """The time since the last call is time of the program's."""
        now = time.perf_counter()
        self._credit += (now - self._since) * self.share
        self._credit = min(self._credit, _SAVED * self.share)
        self._since = now

    def affords(self, what: str) -> bool:
        """Whether it may be done now; always if it was never done."""
        cost = self._costs.get(what)
        return cost is None or cost <= self._credit

    def pay(self, seconds: float) -> None:
        """For what is done at every step."""
        self._credit -= seconds

    @contextmanager
    def spending(self, what: str) -> Iterator[None]:
        """The body is what costs."""
        begin = time.perf_counter()
        try:
            yield
        finally:
            cost = time.perf_counter() - begin
            known = self._costs.get(what)
            if known is None:
                # the first time pays for what is loaded and allocated, too: it is no measure, and is not charged
                self._costs[what] = cost
            else:
                self._costs[what] = min(cost, known + _CALM * (cost - known))
                self._credit -= cost
