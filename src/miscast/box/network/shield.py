"""All that stands between a program and the network, as patches; what it imports later is patched when it is there."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from typing import TYPE_CHECKING, Any

from miscast.running.process.everywhere import put_back
from miscast.running.process.patching import Patch, applied

from ...core.plugins import load, table
from ...running.process.module_arrivals import arriving
from . import clients
from .gate import Gate

if TYPE_CHECKING:
    from types import ModuleType

    from .network import Network

Client = Callable[[Gate, Any], Iterator[Patch]]


def patches(network: Network) -> Iterator[Patch]:
    """Yield patches for what is loaded, and a switch that turns the gate on; undoing it also undoes later patches."""
    if network.mode == "open":
        return
    gate = Gate(network)
    for name, clients_ in clients_by_module().items():
        module = sys.modules.get(name)
        if module is not None and not getattr(
            getattr(module, "__spec__", None), "_initializing", False
        ):
            for client in clients_:
                yield from client(gate, module)
    yield Patch(_Switch(gate), "on", True)


@cache
def clients_by_module() -> dict[str, tuple[Client, ...]]:
    """Return the clients that patch each module, by its name."""
    found: dict[str, tuple[Client, ...]] = {}
    for file in load(clients.__name__, needs=(table("MODULES"),)):
        for name, client in file.MODULES.items():
            found[name] = (*found.get(name, ()), client)
    return found


class _Switch:
    """An owner of one attribute, `on`: setting it starts a gate, deleting it ends that."""

    def __init__(self, gate: Gate) -> None:
        """Start switched off."""
        before = frozenset(sys.modules)
        self.__dict__.update(
            _gate=gate, _watch=ExitStack(), _stack=ExitStack(), _late=[], _before=before
        )

    def __setattr__(self, name: str, value: object) -> None:
        """Switch on."""
        self.__dict__[name] = value
        self.__dict__["_watch"].enter_context(
            arriving(clients_by_module().keys() - sys.modules.keys(), self._arrived)
        )
        self.__dict__["_gate"].start()

    def __delattr__(self, name: str) -> None:
        """Switch off."""
        mine = self.__dict__
        del mine[name]
        mine["_watch"].close()
        try:
            mine["_stack"].close()
        finally:
            put_back(mine["_late"], set(sys.modules) - mine["_before"])
            mine["_gate"].end()

    def _arrived(self, module: ModuleType) -> None:
        """Patch an awaited module once it is complete, before other code takes a name from it."""
        mine = self.__dict__
        if not mine["_gate"].active:
            return
        for client in clients_by_module()[module.__name__]:
            for patch in client(mine["_gate"], module):
                space = (
                    patch.owner if isinstance(patch.owner, dict) else vars(patch.owner)
                )
                mine["_late"].append((patch.value, space.get(patch.name)))
                mine["_stack"].enter_context(applied([patch]))
