"""Ends a program after so many steps of its optimizer: what comes after is as before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from torch.optim.optimizer import register_optimizer_step_post_hook


@contextmanager
def ended_after(
    steps: int, stepped: Callable[[], None] = lambda: None
) -> Iterator[None]:
    """Call `stepped` after each step of the optimizer that steps first, within the block; SystemExit after the last."""
    first: list[Any] = []
    count = 0

    def after(optimizer: Any, *_: Any) -> None:
        nonlocal count
        first[:] = first or [optimizer]
        if optimizer is not first[0]:
            return
        count += 1
        stepped()
        if count == steps:
            raise SystemExit(0)

    hook = register_optimizer_step_post_hook(after)
    try:
        yield
    finally:
        hook.remove()
