"""Texts of errors -> what they mean: a message, a traceback, a log of any size. No torch.

    >>> [found] = explained("RuntimeError: mat1 and mat2 must have the same dtype, but got Float and Half")
    >>> found.rule, found.op, [operand.dtype for operand in found.operands]
    ('dtype-mismatch', 'linear', ['float32', 'float16'])

The flow: blocks (`source`) → passages (`scan`, by `recognise` and `template`) → frames (`traceback`) → op, operands,
facts, causes, help (`assemble`) → findings, each once (`once`), in a report. Messages, causes and libraries are data,
in the folders of these names.
"""

from __future__ import annotations

import io
from typing import BinaryIO

from ..report import Report
from .once import explanations
from .reported import reported
from .scan import passages
from .source import UnreadableError, blocks

__all__ = ["UnreadableError", "explained", "explained_stream"]


def explained_stream(stream: BinaryIO) -> Report:
    """Return every error of the kinds that Miscast knows in a log, each once. Memory does not grow with the log."""
    return reported(explanations(passages(blocks(stream))))


def explained(error: str | BaseException) -> Report:
    """Return the report on a text, or on an exception with those that it was raised from."""
    text = error if isinstance(error, str) else _formatted(error)
    return explained_stream(io.BytesIO(text.encode("utf-8", "replace")))


def _formatted(error: BaseException) -> str:
    """Return the traceback as Python prints it, with the whole chain."""
    import traceback

    return "".join(traceback.format_exception(type(error), error, error.__traceback__))
