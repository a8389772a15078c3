"""The command line that writes a report, its date and its duration: shown on the page, not in JSON.

>>> Invocation(words=("check", "train.py"), began=0.0, seconds=75.2).command_line
'miscast check train.py'
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ..core.frozen import dataclass

if TYPE_CHECKING:
    import argparse


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """A run of the command line. `began` is in seconds since the epoch; `seconds` is None in watch mode."""

    words: tuple[str, ...]
    began: float
    seconds: float | None

    @classmethod
    def of(cls, options: argparse.Namespace) -> Invocation | None:
        """Return the invocation of parsed options, ending now; None for options that no command line gave."""
        words, began = getattr(options, "invoked", (None, 0.0))
        if words is None:
            return None
        now = time.time()
        if getattr(options, "watch", False):
            return cls(words=words, began=now, seconds=None)
        return cls(words=words, began=began, seconds=now - began)

    @property
    def command_line(self) -> str:
        """Return the command as a shell takes it."""
        import shlex

        return shlex.join(("miscast", *self.words))

    @property
    def date(self) -> str:
        """Return the local time at the start, with its offset from UTC: "2026-01-31 14:05 +0100"."""
        from datetime import datetime

        began = datetime.fromtimestamp(self.began).astimezone()
        return began.strftime("%Y-%m-%d %H:%M %z")

    @property
    def duration(self) -> str:
        """Return the time that it took: "0.8 s", "42 s", "1 min 15 s", "2 h 5 min"; "" where it is not known."""
        if self.seconds is None:
            return ""
        if self.seconds < 9.95:
            return f"{self.seconds:.1f} s"
        minutes, seconds = divmod(round(self.seconds), 60)
        hours, minutes = divmod(minutes, 60)
        if hours:
            return f"{hours} h {minutes} min"
        return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
