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

from ...finding import Finding, Fix
from ..conflict import tell
from ..run import Run
from ..systems import deepspeed
from ..view import View

_SIZES = ("train_batch_size", "train_micro_batch_size_per_gpu")


def find(run: Run) -> Iterator[Finding]:
    """Switches of "auto" that nobody fills."""
    view = run.view("deepspeed")
    if not view or deepspeed.filler(run) is not None or not (_used(run) or _own_sizes(view)):
        return
    for key in ("fp16.enabled", "bf16.enabled"):
        setting = view.given(key)
        if setting is not None and setting.value == "auto":
            yield tell(
                "auto-without-filler",
                f'{setting.name} is "auto", and nothing here fills it',
                [setting],
                severity="warning",
                effect="silent: DeepSpeed takes it for off, and the model trains in float32",
                fixes=(Fix(title="write true or false"),),
            )


def _used(run: Run) -> bool:
    """Whether something else than the file itself says how it is used."""
    return bool(run.view("sat") or any(r.document.name.endswith("deepspeed.initialize") for r in run.readings))


def _own_sizes(view: View) -> bool:
    """Whether the file is written for DeepSpeed itself, which wants its batch sizes as numbers."""
    sizes = [e.value for d in view.documents for e in d.entries if e.path in _SIZES]
    return bool(sizes) and all(isinstance(size, int) for size in sizes)
