"""Read a traceback or a log and explain its precision errors.

  dtype-mismatch  linear mixes float32 `mat1` with bfloat16 `mat2`
    train.py:112  in forward  (raised in diffusers)
    cause   the model's weights are bfloat16, and a tensor made in another …
    help    cast the input to the weights' dtype just before the call

FILE can hold a single line, a notebook's output, a GitHub issue, or gigabytes of interleaved ranks. Instead of a file,
give an error message in quotes. Nothing is executed.

Exit code: 0 if no precision error was recognised, 1 if one was explained, 2 if the log cannot be read.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from .program import vouched
from .refusal import RefusedError, named, writable
from .telling import add_format, known_format, tell

if TYPE_CHECKING:
    from ..report import Report


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments: what to read, and how to report."""
    # fmt: off
    parser.add_argument("file", nargs="?", type=named, default="-", metavar="FILE",
        help="a log, plain or gzipped, or an error message; - is stdin (default: -)")
    # fmt: on
    add_format(parser, "write the explanation to FILE instead of stdout")


def run(options: argparse.Namespace) -> int:
    """Return 0 if nothing was recognised, 1 if something was explained."""
    from .. import explanation

    known_format(options)
    writable(options.output)
    try:
        found = _explained(options.file)
    except (OSError, explanation.UnreadableError) as error:
        reason = (
            error.strerror if isinstance(error, OSError) and error.strerror else error
        )
        raise RefusedError(f"cannot read {options.file[:80]}: {reason}") from error
    vouched(tell(found, options, sys.stdout))
    return int(bool(found))


def _explained(file: str) -> Report:
    """Return the report on a file, on stdin, or on what is no file but an error that is recognised."""
    from .. import explanation

    if file == "-":
        return explanation.explained_stream(sys.stdin.buffer)
    try:
        with open(file, "rb") as stream:
            return explanation.explained_stream(stream)
    except OSError:
        found = explanation.explained(file)
        if not found:
            raise
        return found
