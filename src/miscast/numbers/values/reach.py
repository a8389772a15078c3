"""Estimate the part of the loss's error due to a module's output: its error times its gradient.

To first order the loss would move by so much if the output were what it is in float64. A module hands on what it was
given, so along a chain the numbers repeat; the first of them is where the error is made.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch

from ...running.torch_abi import graph_task

if TYPE_CHECKING:
    from collections.abc import Callable

    from .room import Room


class Reach:
    """`found` has, for each module, the most that it moved the loss by, relative to the loss, in one backward pass."""

    def __init__(self, room: Room, quietly: Callable[[], Any]) -> None:
        """Take the memory budget, and `quietly`, a context in which ops are ignored."""
        self._room, self._quietly = room, quietly
        self._found: dict[str, float] = {}
        self._now: dict[str, float] = {}
        self._pass = -1
        self.loss = math.nan

    def follow(self, path: str, output: torch.Tensor, wide: torch.Tensor) -> None:
        """Follow the error of a module's output, relative to float64, to the loss."""
        node = output.grad_fn
        if node is None:
            return
        lease = self._room.lease(output, torch.float64)
        if lease is None:
            return
        with self._quietly(), torch.no_grad():
            error = output.detach().to(wide.dtype) - wide
        index = output.output_nr

        def arrived(gradients: tuple[torch.Tensor | None, ...]) -> None:
            gradient = gradients[index]
            if gradient is None:
                return
            with self._quietly(), torch.no_grad():
                moved = float((gradient.detach().to(error.dtype) * error).sum().real)
            self._add(path, moved)
            del lease_of[:]

        lease_of = [lease]
        node.register_prehook(arrived)

    def _add(self, path: str, moved: float) -> None:
        task = graph_task()
        if task != self._pass:
            self._finish()
            self._pass = task
        if math.isfinite(moved) and self.loss:
            self._now[path] = self._now.get(path, 0.0) + moved / abs(self.loss)

    def _finish(self) -> None:
        for path, moved in self._now.items():
            self._found[path] = max(self._found.get(path, 0.0), abs(moved))
        self._now = {}

    def found(self) -> dict[str, float]:
        """Return the largest effect on the loss, by module."""
        self._finish()
        return {path: moved for path, moved in self._found.items() if moved > 0}
