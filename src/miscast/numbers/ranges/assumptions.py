"""Ranges given by the user: `--assume 'pixels=-1:1'` bounds the values of an argument of that name.

    >>> Assumptions.read(["pixels=-1:1", "ids=0:50256"]).ranges["pixels"]
    (-1.0, 1.0)

A name is that of an argument of a module's `forward`, or of the function that is checked. Numbers that are known are
taken as they are, whatever is assumed of them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ...core.moments import Moments, between
from ...core.ranges import read
from ...vm.provenance.record import find, is_tensor

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumptions:
    """Ranges by name; `met` are the names that came by."""

    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    met: set[str] = field(default_factory=set)

    @classmethod
    def read(cls, told: Iterable[str]) -> Assumptions:
        """Read `name=low:high` ranges. Raises ValueError with the reason if one is malformed."""
        return cls(ranges=read(told))

    def arguments(
        self,
        function: Callable[..., Any],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
    ) -> None:
        """Apply the ranges to the arguments of a call that is about to be made."""
        named = zip(_names(function), args, strict=False)
        for name, value in (*named, *kwargs.items()):
            if name in self.ranges and is_tensor(value):
                self._lay(name, value)

    def unmet(self) -> list[str]:
        """Return the names that no argument had."""
        return [name for name in self.ranges if name not in self.met]

    def _lay(self, name: str, tensor: torch.Tensor) -> None:
        self.met.add(name)
        record = find(tensor)
        known = record is None or (record.twin is not None and not record.assumed)
        if record is not None and not known and record.moments is None:
            record.moments = self._moments(name, tensor)

    def _moments(self, name: str, tensor: torch.Tensor) -> Moments:
        lo, hi = self.ranges[name]
        return between(lo, hi, whole=not tensor.is_floating_point())


@lru_cache(maxsize=512)
def _of_code(function: Any) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)


def _names(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return a function's parameters in order; of a method without the instance."""
    try:
        found = _of_code(getattr(function, "__func__", function))
    except (TypeError, ValueError):
        return ()
    return found[1:] if inspect.ismethod(function) else found
