"""A check within a check: the one thing that entering the virtual machine refuses."""

from __future__ import annotations


class NestedError(RuntimeError):
    """A check runs in this process already; torch has one key for it, and its state is the process's."""
