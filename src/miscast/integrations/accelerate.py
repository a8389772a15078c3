"""A policy on what an Accelerator has prepared, which knows the autocast and the scaler that it put around it.

accelerator = Accelerator(mixed_precision="bf16")
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
handle = miscast.integrations.accelerate.apply(accelerator, model, "bf16-mixed")

PolicyError: the policy computes in float16, and Accelerator(mixed_precision='bf16') wraps the model in an
autocast to bfloat16: Accelerator(mixed_precision='fp16')
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..policy import Policy, PolicyError, apply as apply_policy
from ..policy.application import Handle
from .around import refuse_contradiction

if TYPE_CHECKING:
    from accelerate import Accelerator

__all__ = ["apply"]

_AUTOCAST = {"no": None, "bf16": "bfloat16", "fp16": "float16"}


def apply(accelerator: Accelerator, target: Any, policy: Policy | str) -> Handle:
    """Apply a policy, as `miscast.apply(target, policy)`, to a model or a mapping of models after `prepare`.

    Outputs under mixed precision are float32, as accelerate makes them, unless the policy has an `output_dtype`.
    Raises PolicyError, before anything is changed, where accelerate's autocast or scaler contradicts the policy; and
    where DDP or FSDP holds the parameters already and the policy would change them: then use `miscast.apply` before.
    """
    policy = Policy.of(policy)
    precision = str(accelerator.mixed_precision)
    by = f"Accelerator(mixed_precision={precision!r})"
    if precision not in _AUTOCAST:
        raise PolicyError(
            f"{by} replaces layers with its own: a policy cannot be combined with {precision}"
        )
    refuse_contradiction(
        policy,
        autocast=_AUTOCAST[precision],
        scaler=accelerator.scaler is not None,
        by=by,
        way_out="Accelerator(mixed_precision={})",
    )
    return apply_policy(target, policy)
