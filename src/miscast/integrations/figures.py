"""A guard's lines as the metrics of a tracker: each by a name and a number, at a step.

miscast/loss, miscast/norm, miscast/lr, miscast/scale, miscast/seconds      each step
miscast/update/transformer.h.0                                              update to weight, as often as it is known
miscast/trips                                                               how many there were
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

Metrics: TypeAlias = "Callable[[dict[str, float], int], None]"
"""Logs numbers by name, at a step."""
Text: TypeAlias = "Callable[[str, int], None]"
"""Tells of a trip, at a step."""
_OF_A_STEP = ("loss", "norm", "lr", "scale", "seconds")


class Figures:
    """A guard's figures, passed on to a tracker: `every` so many steps, alarms always."""

    def __init__(self, name: str, every: int, metrics: Metrics, text: Text) -> None:
        """Take the tracker's name. Raises ValueError if `every` is less than 1 step."""
        if every < 1:
            raise ValueError(f"every={every}: expected 1 step or more")
        self._name, self._every = name, every
        self._metrics, self._text = metrics, text
        self._trips = 0

    def __call__(self, event: str, values: Mapping[str, Any]) -> None:
        """Pass a line of the guard on to the tracker."""
        step = int(values.get("step", 0))
        if event == "trip":
            self._trips += 1
            self._metrics({"miscast/trips": float(self._trips)}, step)
            text = (
                f"{values.get('kind')}  step {values.get('step')}: {values.get('what')}"
            )
            self._text(text, step)
        elif step % self._every == 0:
            found = numbers(event, values)
            if found:
                self._metrics(found, step)

    def __repr__(self) -> str:
        return self._name


def numbers(event: str, values: Mapping[str, Any]) -> dict[str, float]:
    """Return the metrics in a line."""
    if event == "step":
        return {
            f"miscast/{name}": float(values[name])
            for name in _OF_A_STEP
            if isinstance(values.get(name), (int, float))
        }
    ratios = values.get("ratios", {}) if event == "weights" else {}
    return {f"miscast/update/{path}": float(ratio) for path, ratio in ratios.items()}
