"""Errors of the layer's files, told of the program's own path."""

from __future__ import annotations

from typing import Any


class spoken:  # noqa: N801 - used as a statement
    """An OSError about `at` becomes one about `path`, as the program wrote it."""

    __slots__ = ("at", "path")

    def __init__(self, at: Any, path: Any) -> None:
        """`at` is what the original was given."""
        self.at, self.path = at, path

    def __enter__(self) -> None:
        """Nothing happens."""

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        """Mend the name."""
        if self.at is not self.path and isinstance(error, OSError) and error.filename == self.at:
            error.filename = self.path
