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
_PACKED = re.compile(r"nvfp4|mxfp4|awq|gptq|bnb|[-_](?:int|fp|w)?[248][-_]?bit|fp8|int8|int4", re.IGNORECASE)
"""What a name says of weights that are stored smaller than half precision: how much smaller is not looked up."""
_PARALLEL = ("tensor_parallel_size", "expert_parallel_size", "context_parallel_size", "dp_shard_size", "device_map")
_STATES = ((("8bit", "8_bit"), 2.0), (("adafactor", "galore", "apollo", "badam", "sgd", "lomo"), 0.0), (("lion",), 2.0))
"""Bytes of optimizer states per parameter, by a word of the optimizer's name; Adam in half precision takes 4."""


def find(run: Run) -> Iterator[Finding]:
    """Models whose states exceed one device where nothing divides them."""
    machine = run.machine
    if machine is None or not machine.memory:
        return
    for view in run.trainers:
        named = next((s for n in _NAMES if n in view.system.by_name and (s := view.given(n))), None)
        size = _SIZE.search(str(named.value)) if named else None
        if named is None or size is None or _PACKED.search(str(named.value)) or _divided(view, run):
            continue
        per, how = _bytes(view)
        wanted = float(size[1]) * 1e9 * per
        if wanted > machine.memory:
            yield _told(named, wanted, machine.memory, f"{how} on {machine.name}", view)


def _divided(view: View, run: Run) -> bool:
    own = any(view.filled(key) for key in ("deepspeed", "fsdp", *_PARALLEL))
    return own or bool(run.view("deepspeed")) or sharded(run) is not None


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
    optimizer = [view.text(key) for key in ("optim", "optimizer") if key in names]
    optimizer += [e.path for d in view.documents for e in d.entries if e.path.startswith("use_") and e.value is True]
    told = " ".join(optimizer)
    states = next((size for words, size in _STATES if any(word in told for word in words)), 4.0)
    return 4.0 + states, "weights, gradients and states in half precision"


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
