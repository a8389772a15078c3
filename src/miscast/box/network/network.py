"""The network access of a checked program, and a callback that reports the rest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from miscast.core.event import EffectKind

Mode = Literal["hub", "offline", "open"]
Tell = Callable[[EffectKind, str, str], None]
Fetch = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """`mode` says what leaves: reading of model hubs ("hub"), nothing ("offline"), everything ("open").

    `tell(kind, what, action)` is called at the line that sends: `tell("network", "api.wandb.ai:443", "POST")`.
    `fetch` is there if somebody outside reads the hub for this process: it takes a request and gives the answer that
    `hub.answer` makes of it.
    """

    tell: Tell
    mode: Mode = "hub"
    fetch: Fetch | None = None
