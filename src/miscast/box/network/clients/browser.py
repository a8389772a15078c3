"""No page is opened in the user's browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from miscast.running.process.patching import Patch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..gate import Gate


def patches(gate: Gate, module: Any) -> Iterator[Patch]:
    """Yield the functions of webbrowser."""

    def tell(url: str, *_: Any, **__: Any) -> bool:
        gate.tell(urlsplit(url).netloc or url, "open in a browser")
        return True

    for name in ("open", "open_new", "open_new_tab"):
        yield Patch(module, name, gate.instead(getattr(module, name), tell))


MODULES = {"webbrowser": patches}
