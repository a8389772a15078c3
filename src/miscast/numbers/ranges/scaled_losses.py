"""The losses that a GradScaler has multiplied, and whether a backward pass begins at one, or at a sum of some."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.weak import WeakIdKeyDictionary

_STEPS_BACK = 4


class ScaledLosses:
    """A run's scaled losses."""

    def __init__(self) -> None:
        # by identity: tensors compare element by element
        self._known = WeakIdKeyDictionary()

    def add(self, result: Any) -> None:
        """Add a loss that a scaler has scaled."""
        if isinstance(result, torch.Tensor):
            self._known[result] = None

    def begin(self, root: Any) -> bool:
        """Check whether a backward pass from this root is of a scaled loss."""
        return isinstance(root, torch.Tensor) and (
            root in self._known or self._is_sum(root)
        )

    def _is_sum(self, root: torch.Tensor) -> bool:
        """Check whether a root was computed from a scaled loss, within a few steps."""
        nodes = {one.grad_fn for one in self._known if one.grad_fn is not None}
        front = [root.grad_fn]
        for _ in range(_STEPS_BACK):
            front = [
                n for node in front if node is not None for n, _ in node.next_functions
            ]
            if any(node in nodes for node in front):
                return True
        return False
