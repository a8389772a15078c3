"""An optimizer whose states, and the weights that it steps on, are on the host, in float32.

Gradients go there, weights come back, each in its own dtype, one after the other. DeepSpeed's
`offload_optimizer` works like that, and torchao's `CPUOffloadOptimizer` for float32 weights.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.optim import Optimizer

from .stepping import Step, follow


def on_host(optimizer: Optimizer) -> Step:
    """Return one of the same class over copies on the host, which steps in its place."""
    groups: list[dict[str, Any]] = []
    pairs = []
    for group in optimizer.param_groups:
        copies = [one.detach().to("cpu", copy=True).float() for one in group["params"]]
        pairs += list(zip(group["params"], copies, strict=True))
        groups.append({**group, "params": copies, "fused": None, "foreach": None})
    kind = type(optimizer)
    own = type(kind.__name__, (kind,), {})(groups)  # a class that steps by itself

    @torch.no_grad()
    def step() -> None:
        follow(own, optimizer)
        for one, copy in pairs:
            copy.grad = None if one.grad is None else one.grad.to("cpu").float()
        own.step()
        for one, copy in pairs:
            if copy.grad is not None:
                one.copy_(copy.to(one.dtype))

    return step
