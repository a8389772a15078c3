"""Limit how often work is done, so that all of it stays within a share of the program's time.

Time earns credit, and what is bought costs what it cost the last times. So a check of 2 % of a step is made at every
other step of a budget of 1 %, and one of 0.01 % at each. What is done at each step anyway is paid for first; where
steps are so short that it takes all of the share, a fifth of the share is left for the rest.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

_CALM = 0.3
_PLANNED = 0.6
"""Planned part of the share. The rest covers costs that a clock around code misses, such as emptied caches."""
_LEAST = 0.2
_SAVED = 5.0
"""Seconds whose credit can be saved up."""


class Budget:
    """A share of the time since it was made."""

    def __init__(self, share: float) -> None:
        """Set the share of time: a `share` of 0.01 is one percent."""
        self.share = share
        self._credit = 0.0
        self._since = time.perf_counter()
        self._costs: dict[str, float] = {}
        self._elapsed = 0.0
        self._spent = 0.0
        self._always = 0.0
        """Seconds since the last `earn` that were not bought."""

    @property
    def used(self) -> float:
        """The share of time actually used since the beginning."""
        return self._spent / max(self._elapsed, 1e-9)

    def begin(self) -> None:
        """Start the clock; time before this call does not count as the program's."""
        self._since = time.perf_counter()

    def earn(self) -> None:
        """Credit the time since the last call as the program's."""
        now = time.perf_counter()
        passed, self._since = now - self._since, now
        self._elapsed += passed
        whole = passed * self.share
        self._credit += max(_PLANNED * whole - self._always, _LEAST * whole)
        self._credit = min(self._credit, _SAVED * self.share)
        self._always = 0.0

    def affords(self, *what: str) -> bool:
        """Check whether it may be done now; always if it was never done, or if the share is all of the time."""
        if self.share >= 1 or any(one not in self._costs for one in what):
            return True
        return sum(self._costs[one] for one in what) <= self._credit

    def pay(self, seconds: float) -> None:
        """Charge `seconds` for a piece of work, including any `spending` blocks within it."""
        self._spent += seconds
        self._always += seconds

    @contextmanager
    def spending(self, what: str) -> Iterator[None]:
        """Measure the cost of the block, within a piece of work that is charged by `pay`."""
        begin = time.perf_counter()
        try:
            yield
        finally:
            cost = time.perf_counter() - begin
            self._always -= cost
            known = self._costs.get(what)
            if known is None:
                # the first time pays for what is loaded and allocated, too: it is no measure of the next
                self._costs[what] = cost
            else:
                self._costs[what] = min(cost, known + _CALM * (cost - known))
                self._credit -= cost
