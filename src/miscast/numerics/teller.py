"""Who is told of numbers that were lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import torch

    from ..precision.harmless import Guard
    from ..provenance.origin import Place
    from .loss import Lost


class Teller(Protocol):
    """Who is told of what was lost, and knows whether optimizers are at work."""

    guard: Guard
    stepping: int

    def tell(
        self, op: str, lost: Lost, tensor: torch.Tensor | None, at: Place | None = None
    ) -> None:
        """Report a precision loss in this call, or (`at`) because of that line."""
