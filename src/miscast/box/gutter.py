"""A dim line down the left side of what a program prints, so that nobody takes it for the report, or for real numbers.

│ what the program prints, from stand-ins:
│ epoch 1  loss 0.500
│ epoch 2  loss 0.250
error[operand-dtype-mismatch]  linear mixes …
"""

from __future__ import annotations

import re

BAR = b"\x1b[2m\xe2\x94\x82\x1b[0m "
HEAD = BAR + b"\x1b[2mwhat the program prints, from stand-ins:\x1b[0m\n"
WIDTH = 2
_BREAK = re.compile(rb"[\r\n]+")


class Gutter:
    """Marks a stream of bytes, piece by piece; a line that is drawn anew after a carriage return is marked anew."""

    def __init__(self) -> None:
        self._first = True
        self.fresh = True  # nothing stands in the line yet

    def marked(self, data: bytes) -> bytes:
        """Return the same with a bar before each line."""
        out = bytearray(HEAD if self._first else b"")
        self._first = False
        at = 0
        for found in _BREAK.finditer(data):
            self._add(out, data[at : found.start()])
            if b"\n" in found[0]:
                out += BAR * self.fresh  # an empty line
            out += found[0]
            self.fresh = True
            at = found.end()
        self._add(out, data[at:])
        return bytes(out)

    def end(self) -> bytes:
        """Return what brings the cursor to the start of a line."""
        fresh, self.fresh = self.fresh, True
        return b"" if fresh else b"\n"

    def _add(self, out: bytearray, piece: bytes) -> None:
        if piece:
            out += BAR * self.fresh + piece
            self.fresh = False
