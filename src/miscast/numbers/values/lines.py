"""The forward lines of backward passes, and whether a pass left a gradient that is not finite."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import torch

from ...running.torch_abi import next_node, node_at_work
from ...vm.provenance.origin import locate, places

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from ...core.event import Location
    from ...vm.provenance.origin import Place

_MOST = 1 << 17


class Lines:
    """A run's lines."""

    def __init__(self) -> None:
        self._known: dict[int, Place | None] = {}
        self._root: Callable[[], torch.Tensor | None] = lambda: None

    def note(self, frame: FrameType) -> None:
        """Record an op of a forward pass that has a node in the graph."""
        if len(self._known) > _MOST:
            self._known.clear()
        # the first op within a node is the one that was called
        self._known.setdefault(next_node() - 1, places(frame)[0])

    def behind(self) -> Location | None:
        """Return the forward line whose backward formula is running."""
        node: Any = node_at_work()
        return None if node is None else locate(self._known.get(node._sequence_nr()))

    def begins(self, root: torch.Tensor) -> None:
        """Record the root of a backward pass."""
        self._root = weakref.ref(root)

    def left_bad(self) -> bool:
        """Check whether a leaf below the root has a non-finite gradient."""
        root = self._root()
        node: Any = None if root is None else root.grad_fn
        waiting = [] if node is None else [node]
        seen = set(waiting)
        while waiting:
            node = waiting.pop()
            grad = getattr(getattr(node, "variable", None), "grad", None)
            if grad is not None and not bool(torch.isfinite(grad).all()):
                return True
            new = {one for one, _ in node.next_functions if one is not None} - seen
            seen |= new
            waiting.extend(new)
        return False
