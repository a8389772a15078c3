"""An op that autocast forbids is called inside an autocast region.

## What it does
`F.binary_cross_entropy` and `nn.BCELoss` raise under CUDA autocast.

## Why is this bad?
Their backward pass produces gradients that can overflow float16. They usually follow a sigmoid, whose half-precision
output has already lost the small probabilities.

## Example
    with torch.autocast("cuda", dtype=torch.float16):
        loss = F.binary_cross_entropy(torch.sigmoid(logits), target)

## Use instead
    with torch.autocast("cuda", dtype=torch.float16):
        loss = F.binary_cross_entropy_with_logits(logits, target)

## Fix safety
Safe: the op runs outside autocast on float32 operands, and float32 represents every half-precision number exactly. The
version with logits computes sigmoid and logarithm together in float32. It is more precise, but results change if the
sigmoid is used elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...core.event import Call, Trace
from ...core.finding import Finding, Fix
from ..findings.finding_builder import make_finding
from .unscale_fp16_gradients import OP as UNSCALE


def find(trace: Trace) -> Iterator[Finding]:
    """Yield calls that autocast forbids."""
    for call in trace.calls:
        forbidden = call.violation.kind == "forbidden" and call.op != UNSCALE
        if forbidden and not call.hidden:
            message = f"{call.op} is forbidden under autocast"
            yield make_finding(__name__, call, message, fixes=_fixes(call))


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
