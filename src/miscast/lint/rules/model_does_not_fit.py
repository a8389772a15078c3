"""A model does not fit the machine as it is to be trained.

## What
The size in the model's name (7B, 70B), the way it is trained, and the memory of `--machine`: weights, gradients and
optimizer states exceed it, and nothing shards or offloads them.

## Why
Training with float32 weights takes 16 bytes per parameter; half precision throughout 8; a frozen base 2, in 4 bits
half a byte. Activations come on top: gradient checkpointing keeps one per layer.

## Example
    model_name_or_path: meta-llama/Llama-3.1-70B           # --machine a100, full fine-tuning

## Use instead
    gradient_checkpointing: true, with LoRA on a 4-bit base, ZeRO-3, or FSDP

## Fix safety
Not safe: each of the ways out trains differently.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...finding import Finding, Fix
from ..conflict import tell
from ..run import Run
from ..system import Setting
from ..view import View
from .quantized_base_under_fsdp import sharded

_SIZE = re.compile(r"(?<![0-9A-Za-z.])([0-9]{1,3}(?:\.[0-9]{1,2})?)[bB](?![A-Za-z0-9])")
_NAMES = ("model_name_or_path", "base_model")


def find(run: Run) -> Iterator[Finding]:
    """Models whose states exceed one device where nothing divides them."""
    machine = run.machine
    if machine is None or not machine.memory:
        return
    for view in run.trainers:
        named = next((s for n in _NAMES if n in view.system.by_name and (s := view.given(n))), None)
        size = _SIZE.search(str(named.value)) if named else None
        if named is None or size is None or _divided(view, run):
            continue
        per, how = _bytes(view)
        wanted = float(size[1]) * 1e9 * per
        if wanted > machine.memory:
            yield _told(named, wanted, machine.memory, f"{how} on {machine.name}", view)


def _divided(view: View, run: Run) -> bool:
    own = any(k in view.system.by_name and view.given(k) for k in ("deepspeed", "fsdp", "fsdp_version"))
    return own or view.filled("fsdp") or bool(run.view("deepspeed")) or sharded(run) is not None


def _bytes(view: View) -> tuple[float, str]:
    names = view.system.by_name
    adapter = any(k in names and view.get(k) not in (False, None, "", "full") for k in ("use_peft", "adapter"))
    adapter = adapter or view.text("finetuning_type") == "lora" if "finetuning_type" in names else adapter
    if adapter:
        if "load_in_4bit" in names and view.on("load_in_4bit"):
            return 0.5, "a 4-bit base"
        if "quantization_bit" in names and view.number("quantization_bit"):
            return (view.number("quantization_bit") or 8) / 8, "a quantized base"
        return (1.0, "an 8-bit base") if "load_in_8bit" in names and view.on("load_in_8bit") else (2.0, "a half base")
    raised = view.system.name == "llamafactory" and not view.on("pure_bf16")
    if raised or ("torch_dtype" in names and view.text("torch_dtype").endswith(("float32", "fp32"))):
        return 16.0, "float32 weights, gradients and states"
    return 8.0, "weights, gradients and states in half precision"


def _told(named: Setting, wanted: float, memory: int, how: str, view: View) -> Finding:
    checkpointing = view.given("gradient_checkpointing") if "gradient_checkpointing" in view.system.by_name else None
    first = "" if checkpointing and checkpointing.value is not False else "gradient_checkpointing: true, and "
    return tell(
        "model-does-not-fit",
        f"{named.value} takes {wanted / (1 << 30):,.0f} GiB before activations ({how}: {memory / (1 << 30):,.0f} GiB)",
        [named],
        severity="warning",
        effect="OutOfMemoryError: CUDA out of memory",
        fixes=(Fix(title=f"{first}LoRA on a 4-bit base, ZeRO-3 or FSDP over more devices, or offloading"),),
    )
