"""The first batch of a training, held against the model that gets it: what differs is named, nothing is converted.

MismatchError: inputs["pixel_values"]: float64 on cpu, ViTModel wants float32 on cpu
"""

from __future__ import annotations

from typing import Any

import torch

from ..policy import MismatchError, expect
from ..policy.expect import Difference

_BY_AUTOCAST = ("float32", "float16", "bfloat16")
"""Floats that autocast takes as they come."""


class FirstBatch:
    """A forward pre-hook that is gone once it was called."""

    def __init__(
        self, model: torch.nn.Module, *, autocast: bool, labels: tuple[str, ...] = ()
    ) -> None:
        """Add hooks; `autocast`: whether it will run under autocast, which is not yet on where it is called.

        `labels` are arguments that meet the model's outputs, of whatever dtype a loss of theirs takes.
        """
        self._autocast, self._labels = autocast, labels
        self._handle = model.register_forward_pre_hook(
            self._look, with_kwargs=True, prepend=True
        )

    def remove(self) -> None:
        """Wait no longer."""
        self._handle.remove()

    def _look(
        self, model: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        if torch.compiler.is_compiling():
            return
        self.remove()
        named = {key: one for key, one in kwargs.items() if key not in self._labels}
        # accelerate's hook moves what a model is called with
        placed = hasattr(model, "_hf_hook")
        left = [
            one
            for one in (*_differing(list(args), model), *_differing(named, model))
            if not self._mended(one.dtype, one.wanted_dtype)
            or not (placed or one.device == one.wanted_device)
        ]
        if left:
            raise MismatchError(tuple(left))

    def _mended(self, dtype: str, wanted: str) -> bool:
        """Check whether the model takes this dtype all the same."""
        return dtype == wanted or (
            self._autocast and dtype in _BY_AUTOCAST and wanted in _BY_AUTOCAST
        )


def _differing(inputs: Any, model: torch.nn.Module) -> tuple[Difference, ...]:
    try:
        expect(inputs, like=model, name="inputs")
    except MismatchError as error:
        return error.differences
    return ()
