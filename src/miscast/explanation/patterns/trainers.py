"""What trainers and launchers refuse before they start."""

from __future__ import annotations

from ..pattern import Pattern

PATTERNS = (
    Pattern(
        name="bf16-accelerator-unsupported",
        category="unsupported-dtype",
        texts=(
            "bf16 mixed precision requires PyTorch >= 1.10 and a supported device",
            "bf16 mixed precision requires {...}supported device",
        ),
        op="Accelerator",
        library="accelerate",
        operands=(("requested", "bfloat16", "cuda"),),
        implies=("gpu-lacks-bfloat16",),
        examples=("ValueError: bf16 mixed precision requires PyTorch >= 1.10 and a supported device.",),
    ),
    Pattern(
        name="unsloth-model-precision",
        category="precision-config",
        texts=("Model is in {found} precision but you want to use {requested} precision",),
        op="Trainer",
        library="unsloth",
        implies=("settings-disagree",),
        examples=(
            (
                "TypeError: Unsloth: Model is in float16 precision but you want to use bfloat16 precision. Set fp16 to `True` "
                "and bf16 to `False`"
            ),
        ),
    ),
    Pattern(
        name="amp-on-cpu",
        category="precision-config",
        texts=(
            "You have asked for native AMP on CPU, but AMP is only available on GPU",
            "AMP is only [available|supported] on [GPU|CUDA]",
            "User specified autocast device_type must be",
        ),
        op="autocast",
        implies=("cpu-only-build",),
        examples=(
            "MisconfigurationException: You have asked for native AMP on CPU, but AMP is only available on GPU.",
            "RuntimeError: User specified autocast device_type must be 'cuda' or 'cpu'",
        ),
    ),
)
