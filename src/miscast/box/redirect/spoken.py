"""Stand-ins for the platform's functions: they have its names, and their errors tell of the program's own path."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...running.process.patching import Patch
from . import real

Made = Mapping[str, Callable[[Any], Callable[..., Any]]]
"""By name, the function that turns the original into what stands in for it."""


def of_os(made: Made) -> Iterator[Patch]:
    """Yield each in `os` and in the module that `os` has it from, where this system has it."""
    for name, make in made.items():
        original = getattr(real, name, None)
        if original is not None:
            new = alike(make(original), original)
            yield from (
                Patch(owner, name, new)
                for owner in (os, real.PLATFORM)
                if hasattr(owner, name)
            )


def alike(new: Any, original: Any) -> Any:
    """Name `new` after its original: it is pickled, and found again, by that name."""
    for name in ("__name__", "__qualname__", "__module__", "__doc__"):
        setattr(new, name, getattr(original, name, None))
    return new


class spoken:  # noqa: N801 - used as a statement
    """An OSError about `at` becomes one about `path`, as the program wrote it."""

    __slots__ = ("at", "path")

    def __init__(self, at: Any, path: Any) -> None:
        """Start with `at`, the path that the original received."""
        self.at, self.path = at, path

    def __enter__(self) -> None:
        """Nothing happens."""

    def __exit__(
        self, kind: object, error: BaseException | None, trace: object
    ) -> None:
        """Restore the program's path in the error."""
        if (
            self.at is not self.path
            and isinstance(error, OSError)
            and error.filename == self.at
        ):
            error.filename = self.path
