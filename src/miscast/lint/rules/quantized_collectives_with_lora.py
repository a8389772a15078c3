"""ZeRO++ quantizes what is sent, and LoRA's bfloat16 parameters do not take it.

## What
`zero_quantized_weights`, `zero_quantized_gradients` or `zero_quantized_nontrainable_weights` with bfloat16 and an
adapter.

## Why
The kernels of ZeRO++ quantize float16; adapters are small, trained, and of another dtype than the frozen base.

## Example
    "zero_quantized_weights": true, "bf16": {"enabled": true}           # with LoRA

## Use instead
    "zero_quantized_weights": false

## Fix safety
Safe: what is sent is no longer rounded.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ..conflict import replaced, tell
from ..run import Run
from ..setting import Place
from ..system import Setting

_KEYS = ("zero_quantized_weights", "zero_quantized_gradients", "zero_quantized_nontrainable_weights")


def find(run: Run) -> Iterator[Finding]:
    """Quantized collectives beside a bfloat16 adapter."""
    engine = run.view("deepspeed")
    adapter = _adapter(run)
    if not engine or adapter is None or not _bfloat16(run):
        return
    for key in _KEYS:
        setting = engine.given(f"zero_optimization.{key}")
        if setting is not None and setting.value is True:
            edit = replaced(setting.entry.at, "false")
            yield tell(
                "quantized-collectives-with-lora",
                f"{key} is on with bfloat16 and LoRA",
                [setting, *([adapter] if isinstance(adapter, Setting) else [])],
                effect="RuntimeError in ZeRO++'s quantizer: expected scalar type Half but found BFloat16",
                fixes=(Fix(title=f"set {key} to false", safe=True, edits=(edit,) if edit else ()),),
            )
            return


def _bfloat16(run: Run) -> bool:
    engine = run.view("deepspeed")
    return engine.on("bf16.enabled") or any("bf16" in v.system.by_name and v.on("bf16") for v in run.trainers)


def _adapter(run: Run) -> Setting | Place | None:
    for view in run.trainers:
        for key in ("use_peft", "use_lora", "adapter", "finetuning_type"):
            setting = view.given(key) if key in view.system.by_name else None
            if setting is not None and setting.value not in (False, None, "full", "freeze", ""):
                return setting
    library = run.view("torch")
    calls = [d for d in library.documents if d.name.endswith(("LoraConfig", "get_peft_model"))]
    return calls[0].at if calls else None
