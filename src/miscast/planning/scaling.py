"""The loss scaler that a plan wants: what is computed in float16 on the way back, and who brings one.

>>> told(("unet",), "off")
'unet computes in float16: the loss needs a scaler, …; the program has one, but it is disabled'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..policy import Policy
from .fitting.candidate import Candidate

_PROGRAM = {
    "on": "the program has one",
    "off": "the program has one, but it is disabled",
    "none": "the program has none",
}
_OWN: Mapping[str, str] = {
    "fsdp": "torch.distributed.fsdp.sharded_grad_scaler.ShardedGradScaler",
    "fsdp2": "torch.amp.GradScaler",
}
"""The scaler to create in code, if the settings bring none. Other systems create theirs from `fp16`."""
_TRUE = {
    "lightning": "16-true does not use one",
    "onetrainer": "it does not use one if a trained weight is float16",
    "axolotl": "float16 weights are trained without one",
}


def halves(
    candidate: Candidate, components: Sequence[Mapping[str, Any]]
) -> tuple[str, ...]:
    """Return the models whose gradients are computed in float16: trained ones, and frozen ones on the way."""
    return tuple(
        str(one["name"])
        for one in components
        if one["trained"] or one.get("passes")
        if _computes(candidate.of(one["name"])) == "float16"
    )


def told(models: Sequence[str], program: str) -> str:
    """Return one line of the report."""
    who = f"{', '.join(models)} {'compute' if len(models) > 1 else 'computes'}"
    return (
        f"{who} in float16: the loss needs a scaler (torch.amp.GradScaler), otherwise gradients below 6e-8 become 0;"
        f" {_PROGRAM[program]}"
    )


def settings(
    system: str, candidate: Candidate, components: Sequence[Mapping[str, Any]]
) -> tuple[Mapping[str, Any], Sequence[str]]:
    """Return the settings of one trainer for the scaler, and what it has no settings for."""
    models = halves(candidate, components)
    if not models:
        return {}, ()
    trained = {one["name"] for one in components if one["trained"]}
    whole = "16-true" in map(candidate.of, trained.intersection(models))
    if system in _OWN:
        return {}, (f"a loss scaler: {_OWN[system]}, to be added in code",)
    if whole and system == "deepspeed":  # 0: it is dynamic
        return {"fp16": {"enabled": True, "loss_scale": 0}}, ()
    if whole and system in _TRUE:
        return {}, (f"a loss scaler: {_TRUE[system]}",)
    return {}, ()


def _computes(precision: str) -> str | None:
    policy = Policy.parse(precision)
    return policy.compute_dtype or policy.param_dtype
