"""The interface to report precision losses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import torch

    from ...running.precision.harmless import Guard
    from ...vm.provenance.origin import Place
    from .loss import Lost


class Teller(Protocol):
    """A receiver of precision losses that knows whether an optimizer is running."""

    guard: Guard
    stepping: int

    def tell(
        self, op: str, lost: Lost, tensor: torch.Tensor | None, at: Place | None = None
    ) -> None:
        """Report a precision loss in this call, or (`at`) because of that line."""
