"""Trained float16 parameters meet a grad scaler.

## What
The weights are loaded in float16 and `fp16` is on: `torch_dtype: float16` with the Trainer, `float16: true` of
axolotl, `from_pretrained(…, torch_dtype=torch.float16)` with a script that trains all parameters.

## Why
fp16 makes a grad scaler, which refuses to unscale float16 gradients. Adapters of peft are float32 and not concerned.

## Example
    fp16: true
    torch_dtype: float16

## Use instead
    fp16: true
    torch_dtype: float32

## Fix safety
Safe: float32 holds every float16 number; it needs twice the memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ..conflict import Conflict, tell
from ..run import Run
from ..setting import named_dtype
from ..view import View

_EFFECT = "ValueError: Attempting to unscale FP16 gradients."


def _full(view: View, _: Run) -> bool:
    quantized = view.on("load_in_4bit") or view.on("load_in_8bit")
    return (
        view.on("fp16") and named_dtype(view.get("torch_dtype")) == "float16" and view.off("use_peft") and not quantized
    )


CONFLICTS = (
    *(
        Conflict(system=system, keys=("torch_dtype", "fp16"), when=_full,
                 says="the weights are float16, and fp16 makes a grad scaler", effect=_EFFECT,
                 help="load the weights in float32: fp16 computes in float16 anyway",
                 source="torch/amp/grad_scaler.py _unscale_grads_, 2.13.0")
        for system in ("transformers", "trl")
    ),
    Conflict(system="axolotl", keys=("float16", "fp16"),
             when=lambda s, _: s.on("float16") and s.on("fp16") and not s.given("adapter"),
             says="float16 weights, and fp16 makes a grad scaler", effect=_EFFECT, help="drop float16: true",
             source="axolotl/utils/schemas/validation.py check_fft_possible_bad_config, 0.19.0"),
)  # fmt: skip


def find(run: Run) -> Iterator[Finding]:
    """from_pretrained(torch_dtype=torch.float16) in a program whose Trainer or Accelerator has fp16 on."""
    library = run.view("torch")
    names = [d.name.rpartition(".")[2] for d in library.documents]
    if "LoraConfig" in names or "get_peft_model" in names:
        return
    scaler = None
    for name in ("transformers", "trl"):
        view = run.view(name)
        if view and view.on("fp16") and view.off("use_peft"):
            scaler = view.given("fp16")
    launcher = run.view("accelerate").given("mixed_precision")
    if launcher is not None and launcher.document.origin == "call" and launcher.value == "fp16":
        scaler = launcher
    loads = [d for d in library.documents if d.name.endswith("from_pretrained")]
    if scaler is None or len(loads) != 1:
        return  # with several models, which one is trained is for the code to know
    setting = View(library.system, (loads[0],)).given("dtype")
    if (
        setting is not None
        and named_dtype(setting.value) == "float16"
        and setting.document.file == scaler.document.file
    ):
        yield tell(
            "float16-parameters-under-grad-scaler",
            "the model is loaded in float16, and fp16 makes a grad scaler",
            [setting, scaler],
            effect=_EFFECT,
            fixes=(Fix(title="load it in float32: fp16 computes in float16 anyway"),),
        )
