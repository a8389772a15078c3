"""A policy on a pipeline, said by component, whatever moves its models about.

    pipe = StableDiffusionXLPipeline.from_pretrained(…)
    pipe.enable_model_cpu_offload()
    handle = miscast.integrations.diffusers.apply(pipe, "16-true", vae="float32", text_encoder="bfloat16")

Offload hooks are taken off, the policy is applied, and they are put back: else weights that wait on the CPU would stay
as they are, and be cast again each time that they are fetched.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..core.similar import similar
from ..policy import Policy, PolicyError, apply as apply_policy
from ..policy.application import Handle

if TYPE_CHECKING:
    import torch
    from diffusers import DiffusionPipeline

__all__ = ["apply"]


def apply(
    pipeline: DiffusionPipeline,
    policy: Policy | str,
    *,
    device: str | torch.device | int | None = None,
    **components: Policy | str | torch.dtype,
) -> Handle:
    """Apply a policy, as `miscast.apply(pipeline, policy)`, with exceptions by the name of a pipeline component.

    A pipeline that is offloaded or placed by `device_map` stays so; `device` is for others. Raises PolicyError for a
    component that the pipeline does not have, and where the policy cannot be kept; then nothing was changed.
    """
    import torch

    policy = Policy.of(policy)
    parts = [
        name
        for name, part in pipeline.components.items()
        if isinstance(part, torch.nn.Module)
    ]
    for name in components:
        if name not in parts:
            has = f"it has {', '.join(parts)}"
            hint = " ".join(filter(None, (similar(name, parts), has)))
            who = type(pipeline).__name__
            raise PolicyError(f"{who} has no model {name!r}: {hint}")
    own: Any = components.items()  # what a Policy takes
    policy = replace(policy, overrides=(*policy.overrides, *own))
    offload = _offloading(pipeline)
    if device is not None and (offload or getattr(pipeline, "hf_device_map", None)):
        raise PolicyError(
            "the models of this pipeline are already placed by offloading or a device map: do not pass `device`"
        )
    if not offload:
        return apply_policy(pipeline, policy, device)
    where = pipeline._offload_device  # it has no public name
    pipeline.remove_all_hooks()
    try:
        return apply_policy(pipeline, policy)
    finally:
        getattr(pipeline, offload)(device=where)


def _offloading(pipeline: DiffusionPipeline) -> str:
    """Return the method by which its models were offloaded; "" if they are not.

    Raises PolicyError for groups of layers.
    """
    import torch
    from accelerate.hooks import CpuOffload
    from diffusers.hooks.group_offloading import _is_group_offload_enabled

    models = [
        one for one in pipeline.components.values() if isinstance(one, torch.nn.Module)
    ]
    if any(map(_is_group_offload_enabled, models)):
        raise PolicyError(
            "group offloading is enabled: apply the policy before calling enable_group_offload()"
        )
    hooks = [one._hf_hook for one in models if hasattr(one, "_hf_hook")]
    if not hooks or getattr(pipeline, "hf_device_map", None):
        return ""
    whole = any(isinstance(hook, CpuOffload) for hook in hooks)
    return "enable_model_cpu_offload" if whole else "enable_sequential_cpu_offload"
