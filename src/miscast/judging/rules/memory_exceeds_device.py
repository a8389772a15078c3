"""Tensors need more memory than the device has.

## What it does
At some line, all tensors alive on a device (parameters, gradients, optimizer state, activations) exceed its memory. The
check continues as if the device had more, and reports how much the whole run needs.

## Why is this bad?
The real run fails there with `OutOfMemoryError`, often after hours: the first optimizer step allocates the state, or
one batch has larger images. The real run needs more than is counted here: the driver's context and kernel workspaces
come on top (docs/memory.md).

## Example
    unet = UNet2DConditionModel.from_config(sdxl).to("cuda")     # 2.6 billion parameters in float32: 9.6 GiB
    optimizer = torch.optim.AdamW(unet.parameters())             # twice that for its state, on a GPU of 24 GB

## Use instead
    unet = UNet2DConditionModel.from_config(sdxl).to("cuda", torch.bfloat16)
    unet.enable_gradient_checkpointing()

## Fix safety
Not safe: fewer bytes per number are less precise. Checkpointing is exact but takes time.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...core import machines
from ...core.event import Memory, Trace
from ...core.finding import Finding, Fix
from ..findings.finding_builder import make_finding

_WAYS = {
    "parameters": "load them in {half}, or split the model over more devices",
    "gradients": "train fewer parameters (LoRA), or in {half}, or shard them (FSDP, ZeRO-2)",
    "optimizer": "shard or offload it (FSDP, ZeRO), or keep it in 8 bits",
    "activations": "checkpoint them, or make batch or resolution smaller",
    "temporaries": "use a fused optimizer (fused=True), or make batch or resolution smaller",
}
_IN_HALF = {
    "parameters": "they are in {weights} already: quantize them, or split the model over more devices",
    "gradients": "train fewer parameters (LoRA), or shard them (FSDP, ZeRO-2)",
}


def find(trace: Trace) -> Iterator[Finding]:
    """Devices that held more than they have."""
    peaks = {memory.device: memory for memory in trace.memory}
    for call in trace.calls:
        memory = peaks.get(call.violation.expected)
        if call.violation.kind == "memory" and memory is not None:
            message = (
                f"{memory.device} has {_gib(memory.capacity)} of memory, "
                f"tensors need {_gib(memory.peak)} at the peak"
            )
            fixes = tuple(_fixes(memory, call.violation.value, trace.machine))
            yield make_finding(__name__, call, message, fixes=fixes)


def _fixes(memory: Memory, weights: str, machine: str) -> Iterator[Fix]:
    """Ways to make the two largest parts smaller; `weights` is the dtype in which they are, if that is known."""
    native = machines.find(machine).support("bfloat16") == "native"
    half = "bfloat16" if native else "float16"
    ways = {**_WAYS, **_IN_HALF} if weights in ("bfloat16", "float16") else _WAYS
    sizes = {name: getattr(memory, name) for name in _WAYS}
    for name in sorted(sizes, key=lambda name: -sizes[name])[:2]:
        if sizes[name]:
            words = "optimizer state" if name == "optimizer" else name
            yield Fix(
                title=f"{_gib(sizes[name])} of {words}: {ways[name].format(half=half, weights=weights)}"
            )


def _gib(size: int) -> str:
    return f"{size / (1 << 30):.2f} GiB"
