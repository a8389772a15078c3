"""A setting is silently overridden by another.

## What
SAT's `--zero-stage` above 0 without a dtype flag; SAT's `--deepspeed_config` beside `--fp16` or `--bf16`.

## Why
SAT takes float16 for ZeRO where no flag says otherwise, and with a DeepSpeed file of its own takes the precision from
there alone.

## Example
    --bf16 --deepspeed_config ds_fp16.json

## Use instead
    --bf16 --deepspeed_config ds_bf16.json

## Fix safety
Not safe: the numbers change to what was asked for.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ..conflict import Conflict, tell
from ..run import Run
from ..systems import sat

_SAT = "SwissArmyTransformer sat/arguments.py get_args"

CONFLICTS = (
    Conflict(
        system="sat",
        keys=("zero_stage",),
        severity="warning",
        when=lambda s, _: (
            (s.number("zero_stage") or 0) > 0
            and s.off("fp16")
            and s.off("bf16")
            and not s.given("deepspeed_config")
            and sat.trains(s)
        ),
        says="zero_stage {0} without --fp16 or --bf16 forces float16",
        effect="silent: Automatically set fp16=True to use ZeRO. (until 0.3, beside --bf16 too)",
        help="say which: --bf16 on Ampere and later, --fp16 before",
        source=f"{_SAT}, 0.4.12",
    ),
)


def find(run: Run) -> Iterator[Finding]:
    """A DeepSpeed file that decides against SAT's flags."""
    view, engine = run.view("sat"), run.view("deepspeed")
    file = view.given("deepspeed_config") if view else None
    flag = next((view.given(f) for f in ("fp16", "bf16") if view and view.on(f)), None)
    if file is None or flag is None or not sat.trains(view):
        return
    engaged = engine.given(f"{flag.key.name}.enabled") if engine else None
    if engine and engaged is not None and engaged.value is True:
        return
    beside = [s for s in (file, engaged, engine.entry("fp16.enabled", "bf16.enabled") if engine else None) if s]
    yield tell(
        "setting-overridden",
        f"--deepspeed_config overrides --{flag.key.name}",
        [flag, *beside],
        severity="warning",
        effect="silent: Will override arguments with manually specified deepspeed_config!",
        fixes=(Fix(title=f'enable {flag.key.name} in the file: "{flag.key.name}": {{"enabled": true}}'),),
    )
