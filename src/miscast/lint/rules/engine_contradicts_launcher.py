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

from ...finding import Finding, Fix
from ..conflict import tell
from ..run import Run
from ..system import Setting
from ..systems import accelerate
from ..view import View

_TRAINERS = ("transformers", "trl", "llamafactory", "minicpm", "axolotl")
_MISMATCH = (
    "ValueError: Please correct the following DeepSpeed config values that mismatch TrainingArguments values: "
    "- ds {key}={engine} vs hf {flag}={trainer}"
)


def find(run: Run) -> Iterator[Finding]:
    """Halves that are at odds."""
    engine = run.view("deepspeed")
    if not engine:
        return
    launched = tuple(_launched(run, engine))
    yield from launched
    for name in () if launched else _TRAINERS:
        if view := run.view(name):
            yield from _trained(view, engine)


def _launched(run: Run, engine: View) -> Iterator[Finding]:
    launcher = run.view("accelerate")
    kohya = run.view("kohya") or run.view("diffusers")
    cell = accelerate.mixed(launcher, run) if launcher else None
    setting = cell.by if cell else None
    if kohya and kohya.given("mixed_precision"):
        setting = kohya.given("mixed_precision")
    if setting is None or setting.value not in ("fp16", "bf16", "fp8"):
        return
    wanted = "bf16" if setting.value == "fp8" else str(setting.value)
    other = "fp16" if wanted == "bf16" else "bf16"
    odd = engine.given(f"{other}.enabled")
    if odd is not None and odd.value is True:
        yield tell(
            "engine-contradicts-launcher",
            f"{setting.name} is {setting.value}, DeepSpeed's JSON enables {other}",
            [setting, odd],
            effect=f"ValueError: `--mixed_precision` arg cannot be set to `{setting.value}` when "
            f"`{other}` is set in the "
            "DeepSpeed config file.",
            fixes=(_auto(odd),),
        )


def _trained(view: View, engine: View) -> Iterator[Finding]:
    if view.system.name == "llamafactory" and view.on("fp8"):
        return  # it trains through accelerate's fp8, and ships a JSON with both halves off
    flags = {flag: view.get(flag) for flag in ("fp16", "bf16")}
    for flag, value in flags.items():
        odd = engine.given(f"{flag}.enabled")
        if odd is None or not isinstance(odd.value, bool):
            continue
        if view.system.name == "axolotl" and value not in (True, False, None):
            continue
        own = view.given(flag)
        full = view.get(f"{flag}_full_eval") is True if f"{flag}_full_eval" in view.system.by_name else False
        wanted = value is True or full or (view.system.name == "trl" and flag == "bf16" and _default(view))
        if value not in (True, False, None) or wanted == odd.value:
            continue
        if own is None and view.open:
            continue
        beside = [own] if own else [s for s in [view.given(other) for other in flags if other != flag] if s]
        yield tell(
            "engine-contradicts-launcher",
            f"DeepSpeed's JSON has {odd.name} {str(odd.value).lower()}, the trainer has {flag} {str(wanted).lower()}"
            + (" (TRL trains in bf16 unless told otherwise)" if view.system.name == "trl" and _default(view) else ""),
            [*beside, odd],
            effect=_MISMATCH.format(
                key=f"{flag}.enabled", engine=odd.value, flag=f"{flag}|{flag}_full_eval", trainer=wanted
            ),
            fixes=(_auto(odd),),
        )


def _default(view: View) -> bool:
    return view.given("bf16") is None and not view.on("fp16")


def _auto(odd: Setting) -> Fix:
    return Fix(title=f'set {odd.name} to "auto", and let the trainer fill it')
