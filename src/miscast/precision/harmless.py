"""What watches a program must not end it: a hook that fails is the last that looks, and the report says so."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Protocol


class Watch(Protocol):
    """`lost` is why nothing is looked at any more; empty while all is well."""

    lost: str


def harmless(look: Callable[..., None]) -> Callable[..., None]:
    """A method of a watch that raises nothing, and does nothing once one of them has failed."""

    @wraps(look)
    def instead(self: Watch, *args: Any, **kwargs: Any) -> None:
        if not self.lost:
            try:
                look(self, *args, **kwargs)
            except Exception as error:  # noqa: BLE001 - whatever a tensor of the program's own class raises
                self.lost = f"{type(error).__name__}: {error}"

    return instead
