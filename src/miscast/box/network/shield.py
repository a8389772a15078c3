"""All that stands between a program and the network; what the program imports later is patched when it is there."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from ...core.plugins import load, table
from ...running.process.everywhere import Names, everywhere
from ...running.process.on_import import later
from ...running.process.patching import Patch
from . import clients
from .gate import Gate

if TYPE_CHECKING:
    from ...core.failure import Failures
    from .network import Network

Client = Callable[[Gate, Any], Iterator[Patch]]


@contextmanager
def closed(
    network: Network, failures: Failures | None = None, beside: Iterable[Patch] = ()
) -> Iterator[Names]:
    """Let nothing leave within the block but what the network's mode says; `beside` are patches for the same block.

    Gives the names of what stands in.
    """
    gate = Gate(network)
    known = clients_by_module() if network.mode != "open" else {}
    wanted = {name: partial(_patches, gate, some) for name, some in known.items()}
    there = [
        patch
        for name, patches in wanted.items()
        if (module := sys.modules.get(name)) is not None and not _is_coming(module)
        for patch in patches(module)
    ]
    with (
        everywhere([*beside, *there], failures) as (_, names),
        later(wanted, failures, loaded=False),
        gate.guarding(),
    ):
        yield names


def _is_coming(module: Any) -> bool:
    return bool(getattr(getattr(module, "__spec__", None), "_initializing", False))


def _patches(gate: Gate, some: Iterable[Client], module: Any) -> Iterator[Patch]:
    for client in some:
        yield from client(gate, module)


@cache
def clients_by_module() -> dict[str, tuple[Client, ...]]:
    """Return the clients that patch each module, by its name."""
    found: dict[str, tuple[Client, ...]] = {}
    for file in load(clients.__name__, needs=(table("MODULES"),)):
        for name, client in file.MODULES.items():
            found[name] = (*found.get(name, ()), client)
    return found
