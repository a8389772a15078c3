"""Modules and optimizers that are alive, found without looking at every object of the process each time.

Looking at all of them takes 50 ms in a process with torch in it. From the second time on, new ones are looked for where
new objects are, in the young generations of the garbage collector. If it has promoted objects since, all are looked at
again; but not if none that was known has died, and `Parameter` and torch's and the user's classes of modules and
optimizers are referred to as often as before: every instance refers to its class. A class alone would not do: another
reference to it may go as an instance comes.
"""

from __future__ import annotations

import gc
import sys
import sysconfig
import weakref
from collections.abc import Container
from typing import Any

import torch

_ROOTS = (torch.nn.Module, torch.optim.Optimizer)
# there, neither generations nor counts tell anything
_TELLING = not sysconfig.get_config_var("Py_GIL_DISABLED")
# the first generation that only promotion brings objects into
_OLD = 2 if sys.version_info < (3, 14) else 1


class Alive:
    """All modules and optimizers of the process, as often as they are asked for."""

    def __init__(self) -> None:
        self._known: dict[int, weakref.ref[Any]] = {}
        self._promotions = -1
        self._references: list[int] = []

    def look(self) -> list[Any]:
        """Return the objects, found by their type alone: querying an object could run its code."""
        # first, so that what is made meanwhile is noticed
        promotions, references = (_promotions(), _references())
        alive = {
            key: known for key, known in self._known.items() if known() is not None
        }
        same = (len(alive), references) == (len(self._known), self._references)
        young = _TELLING and (same or promotions == self._promotions)
        for generation in range(_OLD) if young else [None]:
            alive.update(
                (id(thing), weakref.ref(thing))
                for thing in _among(gc.get_objects(generation), but=alive)
            )
        self._known, self._promotions, self._references = alive, promotions, references
        return [thing for known in alive.values() if (thing := known()) is not None]


def _among(things: list[Any], but: Container[int]) -> list[Any]:
    """Return the modules and optimizers, except those at these addresses."""
    wanted = {kind for kind in set(map(type, things)) if issubclass(kind, _ROOTS)}
    return (
        [thing for thing in things if type(thing) in wanted and id(thing) not in but]
        if wanted
        else []
    )


def _promotions() -> int:
    """Return how often the collector may have moved objects to the old generation."""
    return sum(generation["collections"] for generation in gc.get_stats()[_OLD - 1 :])


def _references() -> list[int]:
    """Return all classes of modules and optimizers, that of parameters, and how often each is referred to."""
    kinds: list[type] = list(_ROOTS)
    for kind in kinds:  # grows as it goes
        kinds += type.__subclasses__(kind)
    kinds.append(torch.nn.Parameter)
    return [*map(id, kinds), *map(sys.getrefcount, kinds)]
