"""DeepSpeed's JSON enables one half dtype, what starts it asks for another.

## What
`fp16.enabled` or `bf16.enabled` of the JSON does not fit `mixed_precision` of accelerate, or `fp16`/`bf16` of the
Trainer.

## Why
The engine casts the model itself, so both must agree. accelerate and the Trainer compare them at the start and
refuse; they fill values of `auto`.

## Example
    mixed_precision: bf16                                # accelerate.yaml
    "fp16": {"enabled": true}                            # ds_config.json

## Use instead
    "fp16": {"enabled": "auto"}, "bf16": {"enabled": "auto"}

## Fix safety
Not safe: which of the two was meant is not known; `auto` takes the launcher's side.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..contradiction import Contradiction
from ..run import Run
from ..system import Setting
from ..systems import accelerate, transformers
from ..view import View

_OTHER = {"fp16": "bf16", "bf16": "fp16", "fp8": "fp16"}
"""The half dtype that a `mixed_precision` excludes: fp8 computes in bf16 beside it."""
_MISMATCH = (
    "ValueError: Please correct the following DeepSpeed config values that mismatch TrainingArguments values: "
    "- ds {key}={engine} vs hf {flag}={trainer}"
)


def find(run: Run) -> Iterator[Contradiction]:
    """Halves that are at odds."""
    engine = run.view("deepspeed")
    launched = [*_launched(run, engine)]
    yield from launched
    for view in () if launched else run.trainers:
        yield from _trained(view, engine)


def _launched(run: Run, engine: View) -> Iterator[Contradiction]:
    setting = _compared(run)
    other = (
        _OTHER.get(setting.value)
        if setting and isinstance(setting.value, str)
        else None
    )
    odd = engine.given(f"{other}.enabled")
    if setting is not None and odd is not None and odd.value is True:
        yield Contradiction(
            says=f"{setting.name} is {setting.value}, DeepSpeed's JSON enables {other}",
            settings=(setting, odd),
            effect=f"ValueError: `--mixed_precision` arg cannot be set to `{setting.value}` when `{other}` is set in "
            "the DeepSpeed config file.",
            help=_auto(odd),
        )


def _compared(run: Run) -> Setting | None:
    """The `mixed_precision` that accelerate compares with the JSON: a script's own, else the launcher's."""
    scripts = (
        view.given("mixed_precision")
        for view in run.views
        if view.system.facts.compared_with_engine
    )
    launcher = run.view("accelerate")
    return next(
        filter(None, scripts), accelerate.mixed(launcher, run).by if launcher else None
    )


def _trained(view: View, engine: View) -> Iterator[Contradiction]:
    halves = view.system.facts.halves
    default = (
        f" ({view.system.title} trains in bf16 unless told otherwise)"
        if transformers.unasked(view)
        else ""
    )
    for flag, wanted in halves(view).items() if halves else ():
        odd = engine.given(f"{flag}.enabled")
        if (
            odd is None
            or not isinstance(odd.value, bool)
            or wanted in (None, odd.value)
        ):
            continue
        yield Contradiction(
            says=f"DeepSpeed's JSON has {odd.name} {str(odd.value).lower()}, "
            f"the trainer has {flag} {str(wanted).lower()}{default}",
            settings=(view.given(flag) or view.given(_OTHER[flag]), odd),
            effect=_MISMATCH.format(
                key=f"{flag}.enabled",
                engine=odd.value,
                flag=f"{flag}|{flag}_full_eval",
                trainer=wanted,
            ),
            help=_auto(odd),
        )


def _auto(odd: Setting) -> str:
    return f'set {odd.name} to "auto", and let the trainer fill it'
