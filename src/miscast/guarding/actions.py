"""Act on an alarm: log it, report it, and then end the training run, skip the step, or continue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from typing import Literal

from .log import Log, say
from .trip import Trip

Action = Literal["raise", "skip", "report"]
OnTrip = Action | Callable[[Trip], Action | None]
ACTIONS = ("raise", "skip", "report")
_TOLD = 3


class Actions:
    """The user's choice of action, and its maximum count."""

    def __init__(self, on_trip: OnTrip, max_skips: int, log: Log) -> None:
        """Raise ValueError for an unknown action."""
        if not callable(on_trip) and on_trip not in ACTIONS:
            raise ValueError(
                f"on_trip={on_trip!r}: use 'raise', 'skip', 'report', or a function that takes a Trip"
            )
        self._on_trip = on_trip
        self._max_skips = max_skips
        self._log = log
        self._told: Counter[str] = Counter()
        self.skips = 0
        self.trips: list[Trip] = []

    def decided(self, trip: Trip) -> Action:
        """Return the action for an alarm, after writing it to disk. A function may decide; its None is "report"."""
        self.trips.append(trip)
        self._log.write("trip", _line(trip), surely=True)
        action: object = self._on_trip
        if callable(action):
            action = action(trip) or "report"
            if action not in ACTIONS:
                raise ValueError(
                    f"on_trip returned {action!r}: return 'raise', 'skip', 'report' or None"
                )
        elif not trip.sure:
            action = "report"
        if action == "skip":
            action = self._instead(trip)
        if action == "skip":
            self.skips += 1
            self._log.write(
                "recovery",
                {"step": trip.step, "did": "the step was skipped", "skips": self.skips},
                surely=True,
            )
        if action != "raise":
            self._tell(trip, str(action))
        return action  # type: ignore[return-value]  # one of ACTIONS

    def _instead(self, trip: Trip) -> Action:
        # a step that was made cannot be left out, and a training that only skips learns nothing
        if trip.late:
            return "report"
        return "raise" if self.skips >= self._max_skips else "skip"

    def _tell(self, trip: Trip, action: str) -> None:
        self._told[trip.kind] += 1
        done = "the step is skipped" if action == "skip" else "training continues"
        if self._told[trip.kind] <= _TOLD:
            say(f"miscast.guard: {trip}\n  {done}")
        elif self._told[trip.kind] == _TOLD + 1:
            where = f", in {self._log.path}" if self._log.path else ""
            say(
                f"miscast.guard: {trip.kind}  step {trip.step}: again; further alarms of this kind are only "
                f"recorded{where}"
            )


def _line(trip: Trip) -> dict[str, object]:
    found = asdict(trip)
    return {
        name: value for name, value in found.items() if value not in (None, "", False)
    }
