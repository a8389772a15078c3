"""Regular expressions that are compiled when they are first used, for what is imported more often than used.

_WORD = regex(r"[a-z]+")
_WORD.match("dtype")
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, AnyStr

__all__ = ["regex"]

_METHODS = (
    "search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn",
)  # fmt: skip


class _Late:
    """A late `re.compile` of the same arguments."""

    def __init__(self, pattern: Any, flags: int) -> None:
        self._made_of = pattern, flags

    def __getattr__(self, name: str) -> Any:
        """Compile it: from now on its methods are found on this object at once."""
        compiled = re.compile(*self._made_of)
        self.__dict__.update((method, getattr(compiled, method)) for method in _METHODS)
        return getattr(compiled, name)


if TYPE_CHECKING:

    def regex(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
        """Return a pattern that is compiled on first use."""
else:

    def regex(pattern: AnyStr, flags: int = 0) -> _Late:
        """Return a pattern with the standard library's syntax and flags; a malformed one raises on first use."""
        return _Late(pattern, flags)
