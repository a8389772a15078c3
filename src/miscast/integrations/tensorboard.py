"""A guard's figures in TensorBoard.

writer = torch.utils.tensorboard.SummaryWriter("runs/1")
guard = miscast.guard(model, optimizer)
miscast.integrations.tensorboard.follow(guard, writer)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .figures import Figures

if TYPE_CHECKING:
    from ..guarding.watch import Guard

__all__ = ["follow"]


def follow(guard: Guard, writer: Any, *, every: int = 1) -> None:
    """Write a guard's lines to a `SummaryWriter`, each `every` steps; an alarm is text, on disk at once."""

    def metrics(found: dict[str, float], step: int) -> None:
        for name, value in found.items():
            writer.add_scalar(name, value, step)

    def text(told: str, step: int) -> None:
        # as code: it is Markdown, and a message may be anything
        writer.add_text("miscast/trip", f"    {told}", step)
        writer.flush()

    guard.follow(Figures("tensorboard", every, metrics, text))
