"""float16 is asked of accelerate on a TPU, which it refuses.

## What
`mixed_precision: fp16` of accelerate, or `fp16` of a program that hands it to accelerate, on a machine with TPUs.

## Why
TPUs multiply in bfloat16. accelerate raises before anything runs.

## Example
    fp16: true                                           # --machine tpu

## Use instead
    bf16: true

## Fix safety
Not safe: bfloat16 has float32's range, and three bits of precision less than float16.
"""

from __future__ import annotations

from ..conflict import Conflict

_EFFECT = (
    "ValueError: fp16 mixed precision requires a device in ('xpu', 'cuda', 'npu', 'xla', 'mlu', 'musa', 'hpu', 'sdaa', "
    "'mps') (not 'xla')."
)
_SOURCE = "accelerate/accelerator.py Accelerator.__init__, 1.15.0: is_torch_xla_available(check_is_tpu=True)"

CONFLICTS = (
    *(
        Conflict(
            system=system,
            keys=("mixed_precision",),
            when=lambda s, run: (
                s.at("mixed_precision", "fp16") and run.on_device("xla")
            ),
            says="mixed_precision is fp16 on a TPU",
            effect=_EFFECT,
            help="use bf16",
            source=_SOURCE,
        )
        for system in ("accelerate", "diffusers")
    ),
    Conflict(
        system="transformers",
        inherited=True,
        keys=("fp16",),
        when=lambda s, run: s.on("fp16") and run.on_device("xla"),
        says="fp16 is on for a TPU",
        effect=_EFFECT,
        help="use bf16: true",
        source=f"{_SOURCE}; transformers/trainer.py hands fp16 on, 5.23.0",
    ),
)
