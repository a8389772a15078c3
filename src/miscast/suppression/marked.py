"""Files that say something to Miscast: a look that costs nothing where there are none."""

from __future__ import annotations

import os

MARK = "miscast:"
"""The mark of files whose comments are read."""
LARGEST = 4_000_000


def marked_text(file: str) -> bytes | None:
    """Return what a file holds; None where it says nothing of Miscast's, or cannot be read."""
    try:
        if not os.path.isfile(file) or os.path.getsize(file) > LARGEST:
            return None
        with open(file, "rb") as opened:
            raw = opened.read(LARGEST)
    except (OSError, ValueError):
        return None
    return raw if MARK.encode() in raw else None
