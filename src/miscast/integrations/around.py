"""Compare a trainer's autocast and GradScaler around a model with the requirements of a policy.

    the policy computes in float16, and TrainingArguments(bf16=True) wraps the model in an autocast to bfloat16

Where the two contradict, the policy is refused before anything is changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..policy import PolicyError

if TYPE_CHECKING:
    from ..policy import Policy


def refuse_contradiction(
    policy: Policy, *, autocast: str | None, scaler: bool, by: str, way_out: str
) -> None:
    """Raise PolicyError where a trainer that wraps a model so cannot keep a policy.

    `autocast` is the dtype of the trainer's own, `by` what made it ("Accelerator(mixed_precision='bf16')"), `way_out`
    how it is told another: "Accelerator(mixed_precision={})".
    """
    stored = policy.param_dtype
    compute = policy.compute_dtype or stored
    if compute is None:
        return
    mixed = stored != compute
    names = {("float16", True): "'fp16'", ("bfloat16", True): "'bf16'"}
    needed = names.get((compute, mixed), "'no'")
    if autocast not in (None, "", compute):
        raise PolicyError(
            f"the policy computes in {compute}, and {by} wraps the model in autocast to {autocast}: "
            f"{way_out.format(needed)}"
        )
    if autocast and not mixed:
        rejects = ", and its GradScaler rejects float16 gradients"
        tail = rejects if scaler and stored == "float16" else ""
        raise PolicyError(
            f"the policy stores and computes everything in {compute}, and {by} wraps the model in autocast, with "
            f"norms and losses in float32{tail}: {way_out.format(needed)}, or a mixed policy"
        )
    if needed == "'fp16'" and not scaler:
        raise PolicyError(
            f"the policy computes in float16, and {by} has no GradScaler, so that small gradients become 0: "
            f"{way_out.format(needed)}"
        )
