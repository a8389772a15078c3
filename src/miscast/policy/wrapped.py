"""Parameters that a wrapper of several processes has taken note of: changed afterwards, they drop out of its exchange.

DistributedDataParallel hangs its reduction on each parameter's place in the graph, which a parameter loses with its
dtype or device: every rank then steps with its own gradients, without a word. FSDP1 holds what its flat parameters are.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Mapping

import torch

from .fields import PolicyError

_BASES = type.__dict__["__mro__"].__get__
"""The classes that a class is made of, whatever its metaclass says of attributes."""


def refuse_wrapped(changed: Iterable[tuple[str, torch.Tensor]]) -> None:
    """Raise PolicyError if one of these parameters, each with its path, is in such a wrapper already."""
    if not torch.distributed.is_available() or not torch.distributed.is_initialized():
        return
    paths = {id(tensor): path for path, tensor in changed}
    if _hold(paths):
        gc.collect()  # one that nobody uses any more is no reason
    for wrapper, path in _hold(paths):
        raise PolicyError(
            f"{path} is already wrapped in {wrapper}, which would no longer see its gradients: apply the policy, then "
            f"wrap with {wrapper}"
        )


def _hold(paths: Mapping[int, str]) -> list[tuple[str, str]]:
    """Return the wrappers that hold such parameters, each with the path of its first one.

    All wrappers that there are: one is as often around the model that is given as part of it.
    """
    from torch.distributed.fsdp import FullyShardedDataParallel
    from torch.nn.parallel import DistributedDataParallel

    kinds = {id(DistributedDataParallel), id(FullyShardedDataParallel)}
    # by identity, and of the type: asking any object for its class, or any class whether it is one, may run its code
    wrappers = [
        thing
        for thing in gc.get_objects()
        if not kinds.isdisjoint(map(id, _BASES(type(thing))))
    ]
    held = []
    for wrapper in wrappers:
        trained = (id(p) for p in wrapper.parameters() if p.requires_grad)
        if own := [paths[p] for p in trained if p in paths]:
            held.append((type(wrapper).__name__, own[0]))
    return held
