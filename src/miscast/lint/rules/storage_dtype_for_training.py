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

from ..contradiction import Contradiction, replaced
from ..run import Run

_KEYS = (
    "train_dtype",
    "fallback_train_dtype",
    "lora_weight_dtype",
    "embedding_weight_dtype",
)
_COMPUTED = ("FLOAT_32", "FLOAT_16", "BFLOAT_16", "TFLOAT_32")
"""OneTrainer modules/util/enum/DataType.py torch_dtype, 2025-12."""
_AUTOCAST = "silent: autocast gets no dtype, and takes its default: float16 on CUDA"
_CAST = "silent: `.to(dtype=None)` converts nothing; the weights keep the dtype that they were made in"


def find(run: Run) -> Iterator[Contradiction]:
    """Quantized types where numbers are computed or trained."""
    view = run.view("onetrainer")
    for setting in filter(None, map(view.given, _KEYS)):
        key = setting.key
        if setting.value in key.allowed and setting.value not in (*_COMPUTED, "NONE"):
            yield Contradiction(
                says=f"{key.name} is {setting.value}, which stores weights and computes nothing",
                settings=(setting,),
                severity="warning",
                effect=_AUTOCAST if "train" in key.name else _CAST,
                help=f'set {key.name} to "FLOAT_32"',
                edit=replaced(setting, '"FLOAT_32"'),
            )
