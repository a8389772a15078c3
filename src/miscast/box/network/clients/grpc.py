"""gRPC connects in C: channels to elsewhere are made to a port where nobody is."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from miscast.running.process.patching import Patch

from ..gate import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..gate import Gate

_NOBODY = "127.0.0.1:9"  # the port "discard", which no machine serves any more


def patches(gate: Gate, module: Any) -> Iterator[Patch]:
    """Yield the functions that make a channel."""
    for owner in filter(None, (module, getattr(module, "aio", None))):
        for name in ("insecure_channel", "secure_channel"):
            if hasattr(owner, name):
                yield Patch(owner, name, _channel(gate, getattr(owner, name)))


def _channel(gate: Gate, original: Any) -> Any:
    @functools.wraps(original)
    def channel(target: str, *rest: Any, **named: Any) -> Any:
        where = urlsplit(f"//{target.rpartition('/')[2]}").netloc
        if (
            gate.shut
            and gate.asked("CONNECT", f"http://{where}", {}) is Verdict.REFUSED
        ):
            target = _NOBODY
        return original(target, *rest, **named)

    return channel


MODULES = {"grpc": patches}
