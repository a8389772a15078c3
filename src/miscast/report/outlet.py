"""The stream that a report goes to, out of the reach of the program that is checked.

A program prints, replaces `sys.stdout`, closes it, and starts children that print. Where the report alone is to stand
on stdout (JSON), everything of theirs goes to stderr; else it stays where it was, and the report follows it.
"""

from __future__ import annotations

import atexit
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TextIO


@contextmanager
def outlet(*, alone: bool) -> Iterator[TextIO]:
    """Open the report's way to stdout for the block. `alone`: nothing else may be printed there."""
    own = _descriptor(sys.stdout)
    if own is None:  # a stream that Python made up, as in a notebook or under pytest
        stream = sys.stdout
        if alone:
            with redirect_stdout(sys.stderr):
                yield stream
        else:
            yield stream
        return
    sys.stdout.flush()
    with open(
        os.dup(own), "w", encoding=sys.stdout.encoding, errors="replace", newline=None
    ) as stream:
        if not alone:
            yield stream
            return
        os.dup2(2, own)
        try:
            yield stream
        finally:
            _flush(sys.stdout)
            stream.flush()
            os.dup2(stream.fileno(), own)
            # What the program does at exit comes after this, and its output after the report.
            atexit.register(os.dup2, 2, own)


def _descriptor(stream: TextIO | None) -> int | None:
    try:
        return stream.fileno() if stream is not None and not stream.closed else None
    except (io.UnsupportedOperation, AttributeError, ValueError):
        return None


def _flush(stream: TextIO | None) -> None:
    if stream is not None and not stream.closed:
        stream.flush()
