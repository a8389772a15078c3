"""`torch.autocast` around a DeepSpeed engine is switched off inside it.

## What
A program has a `torch.autocast(…)` region and a DeepSpeed JSON without `torch_autocast`.

## Why
The engine opens its own region: disabled, unless `torch_autocast` is configured. The dtype is that of the `fp16` and
`bf16` sections.

## Example
    with torch.autocast("cuda", dtype=torch.bfloat16):
        loss = engine(batch)

## Use instead
    "torch_autocast": {"enabled": true, "dtype": "bfloat16"}          # in the JSON

## Fix safety
Not safe: the numbers change to what was asked for.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ..conflict import tell
from ..run import Run
from ..view import View


def find(run: Run) -> Iterator[Finding]:
    """Regions of autocast beside an engine that has none."""
    engine, library = run.view("deepspeed"), run.view("torch")
    if not engine or engine.on("torch_autocast.enabled") or run.view("accelerate") or run.view("transformers"):
        return
    for document in library.documents:
        view = View(library.system, (document,))
        if document.name.rpartition(".")[2] == "autocast" and view.on("enabled") and document.at:
            beside = [s for s in (view.entry("dtype"), engine.entry("bf16.enabled", "fp16.enabled")) if s]
            yield tell(
                "autocast-around-engine",
                "torch.autocast around a DeepSpeed engine without torch_autocast",
                beside,
                otherwise=document.at,
                severity="warning",
                effect="silent: the engine switches autocast off inside; the fp16 and bf16 sections alone decide",
                fixes=(Fix(title="configure torch_autocast in the JSON, or drop the region"),),
            )
            return
