"""States that an optimizer's `load_state_dict` casts to the half dtype of their parameters: moments, counters, masks.

torch casts each state but `step`. An optimizer that puts its own dtypes back afterwards is left alone: what counts are
the states that it steps with.
"""

from __future__ import annotations

import weakref
from itertools import chain
from typing import TYPE_CHECKING, Any

import torch

from ...vm.provenance.record import is_tensor
from .loss import HALF, Lost, short

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...vm.provenance.origin import Place

_OWN = "torch.optim."
"""torch's own optimizers begin with states of the parameters' dtype: there the parameters' dtype is to blame."""


class Reloaded:
    """The states that were cast, of each optimizer, until it steps."""

    def __init__(self) -> None:
        self._cast: weakref.WeakKeyDictionary[Any, list[tuple[Any, ...]]] = (
            weakref.WeakKeyDictionary()
        )

    def loaded(self, optimizer: Any, saved: Any, place: Place | None) -> None:
        """Record the states that became half precision from `saved` (`optimizer.state_dict()`) to the optimizer."""
        if not type(optimizer).__module__.startswith(_OWN):
            self._cast[optimizer] = [
                (*one, place) for one in _narrowed(optimizer, saved)
            ]

    def kept(self, optimizer: Any) -> Iterator[tuple[Lost, torch.Tensor, Place | None]]:
        """Yield the first state that is stepped with as it was cast, with its parameter and the line that loaded it."""
        for parameter, name, state, before, place in self._cast.pop(optimizer, ()):
            if optimizer.state.get(parameter, {}).get(name) is state:
                yield (
                    Lost(
                        rule="state-in-half",
                        operand="param",
                        form="loaded"
                        if before.is_floating_point
                        else "loaded integers",
                        figures=f"the state {name!r} was {short(before)} and becomes {short(state.dtype)}, like its "
                        "parameter",
                    ),
                    parameter,
                    place,
                )
                return


def _narrowed(optimizer: Any, saved: Any) -> Iterator[tuple[Any, ...]]:
    ids, parameters = (
        chain.from_iterable(group["params"] for group in groups)
        for groups in (saved["param_groups"], optimizer.param_groups)
    )
    for key, parameter in zip(ids, parameters, strict=False):
        before = saved["state"].get(key, {})
        for name, state in optimizer.state.get(parameter, {}).items():
            old = before.get(name)
            if not is_tensor(state) or not is_tensor(old) or state.dtype not in HALF:
                continue
            if old.dtype.itemsize > state.dtype.itemsize or not old.is_floating_point():
                yield parameter, name, state, old.dtype
