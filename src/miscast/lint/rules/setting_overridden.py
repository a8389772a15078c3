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

from ..conflict import Conflict
from ..contradiction import Contradiction
from ..deciding import on
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
        effect="silent: Automatically set fp16=True to use ZeRO. (before 0.4.1, beside --bf16 too)",
        help="say which: --bf16 on Ampere and later, --fp16 before",
        source=f"{_SAT}, 0.4.12",
    ),
)


def find(run: Run) -> Iterator[Contradiction]:
    """A DeepSpeed file that decides against SAT's flags."""
    view, engine = run.view("sat"), run.view("deepspeed")
    file, flag = view.given("deepspeed_config"), on(view, "fp16", "bf16")
    if file is None or flag is None or not sat.trains(view):
        return
    name = flag.key.name
    if on(engine, f"{name}.enabled") is None:
        yield Contradiction(
            says=f"--deepspeed_config overrides --{name}",
            settings=(
                flag,
                file,
                engine.given(f"{name}.enabled"),
                engine.entry("fp16.enabled", "bf16.enabled"),
            ),
            severity="warning",
            effect="silent: Will override arguments with manually specified deepspeed_config!",
            help=f'enable {name} in the file: "{name}": {{"enabled": true}}',
        )
