"""No page is opened in the user's browser."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from miscast.process.patching import Patch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..gate import Gate


def patches(gate: Gate, module: Any) -> Iterator[Patch]:
    """The functions of webbrowser."""
    for name in ("open", "open_new", "open_new_tab"):
        yield Patch(module, name, _open(gate, getattr(module, name)))


def _open(gate: Gate, original: Any) -> Any:
    @functools.wraps(original)
    def open_(url: str, *rest: Any, **named: Any) -> Any:
        if not gate.shut:
            return original(url, *rest, **named)
        gate.tell(urlsplit(url).netloc or url, "open in a browser")
        return True

    return open_


MODULES = {"webbrowser": patches}
