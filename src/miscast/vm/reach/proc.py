"""Read process data of Linux, although the program may have replaced `open`."""

from __future__ import annotations

import os

_open, _read, _close = os.open, os.read, os.close
_MOST = 1 << 12


def text_of(path: str) -> str:
    """Return the text of a file below /proc; "" if there is none, or its process has ended."""
    try:
        file = _open(f"/proc/{path}", os.O_RDONLY)
    except OSError:
        return ""
    try:
        return _read(file, _MOST).decode("ascii", "replace")
    except OSError:
        return ""
    finally:
        _close(file)
