"""A model over several ranks by FSDP2, as one of them: `fully_shard` on its blocks and on itself.

The program has one process and knows nothing of it. Its lists that have the model's parameters (an optimizer's, one to
clip) get the sharded ones.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain
from typing import Any

import torch
import torch.distributed as dist
from torch import nn

from ...running.process.patching import Patch, applied

_GATHER = ("all_gather_into_tensor", "all_gather_single")
_SCATTER = ("reduce_scatter_tensor", "reduce_scatter_single")
_WRAPPERS = frozenset([
    "DistributedDataParallel", "FullyShardedDataParallel", "FSDPModule", "DeepSpeedEngine",
])  # fmt: skip


def own_wrapping(root: nn.Module) -> str:
    """Return what the program itself has put around a model, or one of its modules, for several ranks.

    "" if nothing.
    """
    kinds = {kind.__name__ for one in root.modules() for kind in type(one).__mro__}
    return min(kinds & _WRAPPERS, default="")


def shard(root: nn.Module, ranks: int, *, half: Any = None, host: bool = False) -> None:
    """Shard a model. `half` is the dtype in which parameters are gathered; `host` keeps and updates shards on the host.

    Raises what torch raises where it cannot be.
    """
    from torch.distributed.fsdp import (
        CPUOffloadPolicy,
        MixedPrecisionPolicy,
        fully_shard,
    )

    if not dist.is_initialized():
        dist.init_process_group(None, rank=0, world_size=ranks)
    options: dict[str, Any] = {}
    if half is not None:
        options["mp_policy"] = MixedPrecisionPolicy(param_dtype=half)
    if host:
        options["offload_policy"] = CPUOffloadPolicy()
    whole = dict(root.named_parameters(remove_duplicate=False))
    for block in blocks(root):
        fully_shard(block, **options)
    fully_shard(root, **options)
    parts = dict(root.named_parameters(remove_duplicate=False))
    _replace({id(one): parts[name] for name, one in whole.items()}, [*whole.values()])


def blocks(root: nn.Module) -> list[nn.Module]:
    """Return the modules gathered at a time, inner ones first: those that must stay whole, or the parts of lists."""
    names = set(getattr(root, "_no_split_modules", None) or ())
    named = [one for one in root.modules() if type(one).__name__ in names]
    if not named:
        lists = (nn.ModuleList, nn.Sequential)
        found = [one for one in root.modules() if isinstance(one, lists)]
        named = [*chain.from_iterable(found)]
    held = filter(lambda one: next(one.parameters(), None) is not None, named)
    own = dict.fromkeys(held)
    own.pop(root, None)
    return [one for one in reversed(own) if not isinstance(one, nn.ModuleList)]


def _replace(new: dict[int, Any], old: list[Any]) -> None:
    for holder in gc.get_referrers(*old):
        if type(holder) is list and holder is not old:
            holder[:] = [new.get(id(one), one) for one in holder]


@contextmanager
def exchanged(told: Callable[[torch.Tensor, int], None]) -> Iterator[None]:
    """Call `told` for each gathering and scattering within the block, with a tensor and the bytes transferred."""

    def call(original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        into, frm = [*args, *kwargs.values()][:2]
        told(into, abs(into.nbytes - frm.nbytes))
        return original(*args, **kwargs)

    known = [name for name in (*_GATHER, *_SCATTER) if hasattr(dist, name)]
    calls = [Patch(dist, name, partial(call, getattr(dist, name))) for name in known]
    with applied(calls):
        yield
