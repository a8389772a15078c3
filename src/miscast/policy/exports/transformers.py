"""Arguments of `transformers.TrainingArguments` (transformers/training_args.py, 5.23)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..export import Export
from ..terms import lost, mixed, stored, unlike_autocast

if TYPE_CHECKING:
    from ..policy import Policy


def export(policy: Policy) -> Export:
    """Return `bf16` and `fp16`: autocast over the weights as they were loaded."""
    half = mixed(policy)
    return Export(
        system="transformers",
        settings={"bf16": half == "bfloat16", "fp16": half == "float16"},
        lost=(
            *stored(policy),
            *unlike_autocast(policy),
            *lost(
                policy,
                {
                    "output_dtype": "the trainer keeps the dtype of the model's loss",
                    "reduce_dtype": "gradients are reduced in the parameters' dtype",
                    "buffer_dtype": "buffers keep the dtype they were loaded with",
                    "overrides": "it has one precision for the whole model",
                },
            ),
        ),
    )
