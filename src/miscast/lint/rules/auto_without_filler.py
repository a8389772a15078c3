"""`"auto"` in DeepSpeed's JSON is left to nobody.

## What
`fp16.enabled` or `bf16.enabled` is `"auto"` where neither accelerate nor the Trainer reads the file.

## Why
DeepSpeed itself does not know the word there: a switch of `"auto"` counts as off, and the model stays float32 without
a message. accelerate and the Trainer fill it, and then nothing is wrong.

## Example
    {"train_batch_size": 8, "bf16": {"enabled": "auto"}}          # deepspeed train.py --deepspeed_config ds.json

## Use instead
    {"train_batch_size": 8, "bf16": {"enabled": true}}

## Fix safety
Not safe: the numbers change to what was asked for.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..contradiction import Contradiction
from ..run import Run


def find(run: Run) -> Iterator[Contradiction]:
    """Switches of "auto" that nobody fills."""
    view = run.view("deepspeed")
    if any(other.system.facts.fills_auto for other in run.views) or not _used(run):
        return
    for setting in map(view.given, ("fp16.enabled", "bf16.enabled")):
        if setting is not None and setting.value == "auto":
            yield Contradiction(
                says=f'{setting.name} is "auto", and nothing here fills it',
                settings=(setting,),
                severity="warning",
                effect="silent: DeepSpeed takes it for off, and the model trains in float32",
                help="write true or false",
            )


def _used(run: Run) -> bool:
    """Whether something else than the file itself says how it is used."""
    called = any(
        claimed.document.name.endswith("deepspeed.initialize")
        for claimed in run.claimed
    )
    return called or bool(run.view("sat"))
