"""Questions of all exports: is the policy mixed, and which of its fields does the system not support."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from .export import Lost

if TYPE_CHECKING:
    from .policy import Policy

SHORT: Mapping[str | None, str] = {
    "bfloat16": "bf16",
    "float16": "fp16",
    "float32": "fp32",
}


def compute_of(policy: Policy) -> str | None:
    """Return what the forward runs in."""
    return policy.compute_dtype or policy.param_dtype


def mixed(policy: Policy) -> str | None:
    """Return autocast's half dtype, if the policy means float32 parameters under autocast."""
    compute = compute_of(policy)
    if compute in ("float16", "bfloat16") and policy.param_dtype in (None, "float32"):
        return compute
    return None


def lost(policy: Policy, reasons: Mapping[str, str]) -> tuple[Lost, ...]:
    """Return the given reasons for those fields that the policy sets."""
    return tuple(
        Lost(field=field, reason=reason)
        for field, reason in reasons.items()
        if getattr(policy, field)
    )


def stored(policy: Policy) -> tuple[Lost, ...]:
    """Return that the system does not set the weights' dtype, if the policy names one."""
    reason = f"weights keep their dtype: convert them with miscast.apply or model.to(torch.{policy.param_dtype}) first"
    return lost(policy, {"param_dtype": reason})


def unlike_autocast(policy: Policy) -> tuple[Lost, ...]:
    """Return that computing in another dtype than the parameters' does not correspond to any autocast."""
    compute = compute_of(policy)
    if mixed(policy) or policy.param_dtype is None or compute == policy.param_dtype:
        return ()
    return (
        Lost(
            field="compute_dtype",
            reason=f"{compute} over {policy.param_dtype} parameters is not possible with autocast",
        ),
    )


def cast_not_autocast(policy: Policy) -> tuple[Lost, ...]:
    """Return that a system casts parameters and inputs instead of using autocast, so that no op runs in float32."""
    half = mixed(policy)
    if not half:
        return ()
    reason = (
        f"weights and inputs are cast without autocast: losses, norms and softmax inside are also computed in {half}, "
        "while autocast computes them in float32; add .float() there, or use miscast.apply before wrapping instead"
    )
    return (Lost(field="compute_dtype", reason=reason),)
