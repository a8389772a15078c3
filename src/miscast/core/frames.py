"""Python's frames, in one piece of memory.

CPython keeps them in pieces of 16 KiB (since 3.11). A loop at whose depth a piece ends takes the next one with every
call and gives it back, by `mmap` and `munmap`: importing `torch._dynamo` did so 22,000 times in a check of a program of
one line, a tenth of its time. A frame that asks for more than fits gets a larger piece, with room for those above it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

F = TypeVar("F", bound=Callable[..., object])
_WORDS = (1 << 17) + 64
"""A little more than 1 MiB, for which CPython takes 2; the other half, never touched before, holds 10,000 frames."""


def roomy(fn: F) -> F:
    """Return a decorator: what runs below this function has its frames in one piece."""
    fn.__code__ = fn.__code__.replace(co_stacksize=_WORDS)
    return fn
