"""A place in a program where a fault can be made, and the program with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

About = Literal["dtype", "device"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Injury:
    """One fault: `original` became `injured` in `file`; it stands in the lines `first` to `last` of `source`.

    `source` is the injured text of the file, `about` says whether dtypes or devices are put at odds.
    """

    kind: str
    about: About
    file: str
    first: int
    last: int
    original: str
    injured: str
    source: str
