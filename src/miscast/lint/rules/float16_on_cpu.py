"""float16 is asked of a CPU, which does not take it.

## What
`mixed_precision: fp16` of accelerate, or `fp16` of a program that hands it to accelerate, beside `use_cpu` or on a
machine without a GPU; a float16 export of Ultralytics' to TorchScript, which is on the CPU unless a device is named.

## Why
accelerate makes no autocast and no grad scaler for float16 on a CPU: everything is computed in float32. Until 2024 it
refused, as Ultralytics does.

## Example
    mixed_precision: fp16
    use_cpu: true

## Use instead
    mixed_precision: bf16
    use_cpu: true

## Fix safety
Not safe: bfloat16 autocast rounds where float32 did not.
"""

from __future__ import annotations

from ..conflict import Conflict
from ..run import Run
from ..systems import ultralytics
from ..view import View

_EFFECT = (
    "silent: no autocast, float32 throughout; accelerate before 1.1: ValueError: fp16 mixed precision requires a GPU "
    "(not 'cpu')."
)
_SOURCE = "accelerate/accelerator.py Accelerator.__init__, 1.15.0"
_KEYS = {
    "accelerate": ("mixed_precision", "use_cpu"),
    "kohya": ("mixed_precision",),
    "diffusers": ("mixed_precision",),
}


def _without_gpu(view: View, run: Run) -> bool:
    return run.on_device("cpu") or (
        "use_cpu" in view.system.by_name and view.on("use_cpu")
    )


def _traced_on_cpu(view: View, run: Run) -> bool:
    traced = ultralytics.mode(view) == "export" and view.at("format", "torchscript")
    on_cpu = view.get("device") in (None, "cpu") or run.on_device("cpu")
    return traced and on_cpu and ultralytics.halved(view) is not None


CONFLICTS = (
    Conflict(
        system="ultralytics",
        keys=("quantize", "half", "device", "format"),
        when=_traced_on_cpu,
        says="float16 is exported to TorchScript on a CPU",
        effect="ValueError: FP16 TorchScript export is only supported on GPU, i.e. use device=0. (at 8.4.80 still "
        "silent: the file is float32)",
        help="add device=0, or drop it",
        source="ultralytics/engine/exporter.py, 8.4.190",
    ),
    Conflict(
        system="detectron2",
        keys=("SOLVER.AMP.ENABLED",),
        when=lambda s, run: s.on("SOLVER.AMP.ENABLED") and run.off_device("cuda"),
        says="AMP is enabled, and the machine has no CUDA",
        effect="AssertionError: [AMPTrainer] CUDA is required for AMP training!",
        help="set SOLVER.AMP.ENABLED: False",
        source="detectron2/engine/train_loop.py AMPTrainer.run_step, 0.6",
    ),
    *(
        Conflict(
            system=system,
            keys=keys,
            when=lambda s, run: (
                s.at("mixed_precision", "fp16") and _without_gpu(s, run)
            ),
            says="mixed_precision is fp16 on a CPU",
            effect=_EFFECT,
            severity="warning",
            help="use bf16, or a GPU",
            source=_SOURCE,
        )
        for system, keys in _KEYS.items()
    ),
    Conflict(
        system="transformers",
        inherited=True,
        keys=("fp16", "use_cpu"),
        when=lambda s, run: s.on("fp16") and _without_gpu(s, run),
        says="fp16 is on for a CPU",
        effect=_EFFECT,
        severity="warning",
        help="use bf16 with use_cpu, or a GPU",
        source=f"{_SOURCE}; transformers/trainer.py hands fp16 on, 5.23.0",
    ),
)
