"""An op that autocast forbids is called inside an autocast region.

## What
`F.binary_cross_entropy` and `nn.BCELoss` raise under CUDA autocast.

## Why
Their backward pass produces gradients that float16 cannot hold, and the op is used after a sigmoid whose half output
has already lost the small probabilities.

## Example
    with torch.autocast("cuda", dtype=torch.float16):
        loss = F.binary_cross_entropy(torch.sigmoid(logits), target)

## Use instead
    with torch.autocast("cuda", dtype=torch.float16):
        loss = F.binary_cross_entropy_with_logits(logits, target)

## Fix safety
Safe: outside of autocast, on float32 operands, which hold every half number. With logits the sigmoid and the logarithm
are computed together, in float32: more precise, and other numbers where the sigmoid is used elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..event import Call, Trace
from ..finding import Finding, Fix
from ..findings.finding_builder import make_finding
from .unscale_fp16_gradients import OP as UNSCALE


def find(trace: Trace) -> Iterator[Finding]:
    """Calls that autocast forbids."""
    for call in trace.calls:
        if (
            call.violation.kind == "forbidden"
            and call.op != UNSCALE
            and not call.hidden
        ):
            yield make_finding(
                __name__,
                call,
                f"{call.op} is forbidden under autocast",
                fixes=_fixes(call),
            )


def _fixes(call: Call) -> tuple[Fix, ...]:
    device = (
        call.operands[0].tensor.device.partition(":")[0] if call.operands else "cuda"
    )
    outside = Fix(
        title=f'call {call.op} in torch.autocast("{device}", enabled=False), on float32 operands'
    )
    if not call.op.startswith("binary_cross_entropy"):
        return (outside,)
    title = "use binary_cross_entropy_with_logits (nn.BCEWithLogitsLoss) on the logits, without the sigmoid"
    return (Fix(title=title), outside)
