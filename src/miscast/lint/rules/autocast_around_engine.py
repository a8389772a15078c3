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

import itertools
from collections.abc import Iterator

from ..calls import calls
from ..contradiction import Contradiction
from ..run import Run

_RAISED = (
    "AssertionError: torch.autocast is enabled outside DeepSpeed, in 0.17.2 to 0.17.5"
)


def find(run: Run) -> Iterator[Contradiction]:
    """Regions of autocast beside an engine that has none."""
    engine = run.view("deepspeed")
    if (
        not engine
        or engine.on("torch_autocast.enabled")
        or run.view("accelerate")
        or run.view("transformers")
    ):
        return
    regions = (view for view in calls(run, "autocast") if view.on("enabled"))
    for region in itertools.islice(regions, 1):
        yield Contradiction(
            says="torch.autocast around a DeepSpeed engine without torch_autocast",
            settings=(
                region.given("dtype"),
                engine.entry("bf16.enabled", "fp16.enabled"),
            ),
            otherwise=region.place,
            severity="warning",
            effect="silent: the engine switches autocast off inside; the fp16 and bf16 sections alone decide "
            f"({_RAISED})",
            help="configure torch_autocast in the JSON, or drop the region",
        )
