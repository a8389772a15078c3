"""A setting, or a baseline, that cannot be gone by."""

from __future__ import annotations


class UnusableError(ValueError):
    """The message is one line that names the file."""
