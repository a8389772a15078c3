"""Several ranks: whether replicas still have the same weights, and how one rank runs its part of a step again alone.

The weights' norms are compared at steps 1, 10, 100 and every 1000th, one number from each rank: the same steps on every
rank, or they would wait for each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import distributed
from torch.nn.parallel import DistributedDataParallel

from ..vm.provenance.module_members import named_tensors, submodules
from .stretch import UnreadableError
from .watches import Judged

_FIRST = (1, 10, 100)
_EVERY = 1000
_HELP = "they received different gradients, or were modified: from now on the ranks train different models"


def several() -> bool:
    """Check whether there are other ranks."""
    return (
        distributed.is_available()
        and distributed.is_initialized()
        and distributed.get_world_size() > 1
    )


def judged(models: Sequence[torch.nn.Module], step: int) -> list[Judged]:
    """Return the replicas whose weights differ. Must be called on all ranks at the same step."""
    if not several() or not (step in _FIRST or step % _EVERY == 0):
        return []
    found = []
    for model in models:
        if isinstance(model, DistributedDataParallel):
            found += _differing(model)
    return found


def _differing(model: DistributedDataParallel) -> list[Judged]:
    named = [
        (name, p.detach()) for name, p in named_tensors(model.module, "_parameters")
    ]
    if not named:
        return []
    norms = torch.stack([torch.linalg.vector_norm(p.float()) for _, p in named])
    own = norms.view(torch.int32).to(torch.int64)
    weight = torch.arange(1, len(own) + 1, device=own.device)
    hashes = _gathered((own * weight).sum().reshape(1), model)
    ranks = [i for i, one in enumerate(hashes) if not torch.equal(one, hashes[0])]
    if not ranks:
        return []
    # every rank sees that they differ, so every rank takes part in this, too
    every = torch.stack(_gathered(own, model))
    differ = (every != every[0]).any(0).nonzero().flatten().tolist()
    first = ", ".join(named[i][0] for i in differ[:3])
    more = ", …" if len(differ) > 3 else ""
    what = (
        f"the weights of rank{'s' if len(ranks) > 1 else ''} {', '.join(map(str, ranks))} no longer match rank 0, in"
        f" {len(differ)} of {len(named)} parameters: {first}{more}"
    )
    return [("ranks-differ", what, _HELP)]


def _gathered(
    tensor: torch.Tensor, model: DistributedDataParallel
) -> list[torch.Tensor]:
    group = model.process_group
    found = [torch.empty_like(tensor) for _ in range(distributed.get_world_size(group))]
    distributed.all_gather(found, tensor.contiguous(), group=group)
    return found


@contextmanager
def alone(models: Sequence[torch.nn.Module]) -> Iterator[None]:
    """Keep the models from communicating within the block. Raises UnreadableError if they need other ranks."""
    parts = [one for model in models for _, one in submodules(model)]
    if several():
        _refuse_shared(parts)
    replicas = [one for one in parts if isinstance(one, DistributedDataParallel)]
    before = [
        (one, one.require_backward_grad_sync, one.require_forward_param_sync)
        for one in replicas
    ]
    for one in replicas:
        one.require_backward_grad_sync = one.require_forward_param_sync = False
    try:
        yield
    finally:
        for one, backward, forward in before:
            one.require_backward_grad_sync = backward
            one.require_forward_param_sync = forward


def _refuse_shared(parts: Sequence[torch.nn.Module]) -> None:
    for one in parts:
        if isinstance(one, torch.nn.SyncBatchNorm):
            raise UnreadableError("SyncBatchNorm needs all ranks")
        if any(map(_is_sharded, one.parameters(recurse=False))):
            raise UnreadableError("its parameters are sharded over the ranks")


def _is_sharded(parameter: torch.Tensor) -> bool:
    # a DTensor, or a part of FSDP's flat parameter
    return hasattr(parameter, "to_local") or hasattr(parameter, "_sharded_size")
