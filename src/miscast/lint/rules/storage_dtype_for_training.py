"""A dtype that only stores weights is asked to train or to compute.

## What
OneTrainer's `train_dtype`, `fallback_train_dtype`, `lora_weight_dtype` or `embedding_weight_dtype` is FLOAT_8, INT_8,
NFLOAT_4, GGUF or another quantized type.

## Why
Such a type has no torch dtype (`DataType.torch_dtype()` is None): a conversion to it does nothing, and autocast to it
takes its own default, float16 on CUDA. Only frozen weights of the model can be stored so.

## Example
    "training_method": "LORA", "lora_weight_dtype": "NFLOAT_4"

## Use instead
    "training_method": "LORA", "lora_weight_dtype": "FLOAT_32"

## Fix safety
Safe: float32 holds what was asked for, and is what OneTrainer offers.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ..conflict import replaced, tell
from ..run import Run

_KEYS = ("train_dtype", "fallback_train_dtype", "lora_weight_dtype", "embedding_weight_dtype")
_COMPUTED = ("FLOAT_32", "FLOAT_16", "BFLOAT_16", "TFLOAT_32")
"""OneTrainer modules/util/enum/DataType.py torch_dtype, 2025-12."""
_AUTOCAST = "silent: autocast gets no dtype, and takes its default: float16 on CUDA"
_CAST = "silent: `.to(dtype=None)` converts nothing; the weights keep the dtype that they were made in"


def find(run: Run) -> Iterator[Finding]:
    """Quantized types where numbers are computed or trained."""
    view = run.view("onetrainer")
    for key in _KEYS if view else ():
        setting = view.given(key)
        known = view.system.by_name[key].allowed
        if setting is None or setting.value in (*_COMPUTED, "NONE") or setting.value not in known:
            continue
        edit = replaced(setting.entry.at, '"FLOAT_32"')
        yield tell(
            "storage-dtype-for-training",
            f"{key} is {setting.value}, which stores weights and computes nothing",
            [setting],
            severity="warning",
            effect=_AUTOCAST if "train" in key else _CAST,
            fixes=(Fix(title=f'set {key} to "FLOAT_32"', safe=edit is not None, edits=(edit,) if edit else ()),),
        )
