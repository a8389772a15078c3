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
from ..view import View

_SIZES = ("train_batch_size", "train_micro_batch_size_per_gpu")


def find(run: Run) -> Iterator[Contradiction]:
    """Switches of "auto" that nobody fills."""
    view = run.view("deepspeed")
    if any(other.system.facts.fills_auto for other in run.views) or not (
        _used(run) or _own_sizes(view)
    ):
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


def _own_sizes(view: View) -> bool:
    """Whether the file is written for DeepSpeed itself, which wants its batch sizes as numbers."""
    sizes = [
        entry.value
        for document in view.documents
        for entry in document.entries
        if entry.path in _SIZES
    ]
    return bool(sizes) and all(isinstance(size, int) for size in sizes)
