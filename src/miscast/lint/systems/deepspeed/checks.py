"""Contradictions of DeepSpeed's JSON with what starts the engine, and loss scales that it rejects."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

from ...calls import calls
from ...contradiction import Contradiction, replaced
from ...deciding import on
from ...run import Run
from ...setting import Unknown, Value, named_dtype
from ...system import Setting
from ...view import View
from .. import accelerate, transformers

STAGE = "zero_optimization.stage"


def unfilled(view: View, run: Run) -> Iterator[Contradiction]:
    """Yield switches of "auto" that nothing fills, where the program that uses the file is known."""
    called = any(claimed.document.name.endswith("deepspeed.initialize") for claimed in run.claimed)
    if any(other.system.facts.fills_auto for other in run.views) or not (called or run.view("sat")):
        return
    for setting in map(view.given, ("fp16.enabled", "bf16.enabled")):
        if setting is not None and setting.value == "auto":
            yield Contradiction(
                says=f'{setting.name} is "auto", and nothing here fills it', settings=(setting,), severity="warning",
                effect="silent: DeepSpeed takes it as off, and the model trains in float32", help="write true or false",
            )


def autocast_outside(view: View, run: Run) -> Iterator[Contradiction]:
    """Yield the first region of autocast around an engine without autocast."""
    if view.on("torch_autocast.enabled") or run.view("accelerate") or run.view("transformers"):
        return
    regions = (region for region in calls(run, "autocast") if region.on("enabled"))
    for region in itertools.islice(regions, 1):
        yield Contradiction(
            says="torch.autocast around a DeepSpeed engine without torch_autocast",
            settings=(region.given("dtype"), view.entry("bf16.enabled", "fp16.enabled")), otherwise=region.place,
            severity="warning",
            effect="silent: the engine switches autocast off inside; only the fp16 and bf16 sections decide "
            "(AssertionError: torch.autocast is enabled outside DeepSpeed, in 0.17.2 to 0.17.5)",
            help="configure torch_autocast in the JSON, or drop the region",
        )


_OTHER = {"fp16": "bf16", "bf16": "fp16", "fp8": "fp16"}
"""The half dtype that a `mixed_precision` excludes: fp8 computes in bf16 elsewhere."""


def unlike_launcher(view: View, run: Run) -> Iterator[Contradiction]:
    """Yield a half dtype of the JSON that is not the launcher's, else one that is not a trainer's."""
    setting = _compared(run)
    other = _OTHER.get(setting.value) if setting and isinstance(setting.value, str) else None
    enabled = view.given(f"{other}.enabled")
    if setting is None or enabled is None or enabled.value is not True:
        for trainer in run.trainers:
            yield from _unlike_trainer(trainer, view)
        return
    yield Contradiction(
        says=f"{setting.name} is {setting.value}, DeepSpeed's JSON enables {other}", settings=(setting, enabled),
        effect=f"ValueError: `--mixed_precision` arg cannot be set to `{setting.value}` when `{other}` is set in "
        "the DeepSpeed config file.",
        help=_AUTO.format(enabled.name),
    )


_AUTO = 'set {} to "auto", and let the trainer fill it'


def _compared(run: Run) -> Setting | None:
    """Return the `mixed_precision` that accelerate compares with the JSON: a script's own, else the launcher's."""
    scripts = (view.given("mixed_precision") for view in run.views if view.system.facts.compared_with_engine)
    launcher = run.view("accelerate")
    return next(filter(None, scripts), accelerate.mixed(launcher, run).by if launcher else None)


def _unlike_trainer(view: View, engine: View) -> Iterator[Contradiction]:
    halves = view.system.facts.halves
    default = f" ({view.system.title}'s default is bf16)" if transformers.unasked(view) else ""
    for flag, required in halves(view).items() if halves else ():
        enabled = engine.given(f"{flag}.enabled")
        if enabled is None or not isinstance(enabled.value, bool) or required in (None, enabled.value):
            continue
        yield Contradiction(
            says=f"DeepSpeed's JSON has {enabled.name} {str(enabled.value).lower()}, "
            f"the trainer has {flag} {str(required).lower()}{default}",
            settings=(view.given(flag) or view.given(_OTHER[flag]), enabled),
            effect="ValueError: Please correct the following DeepSpeed config values that mismatch TrainingArguments "
            f"values: - ds {flag}.enabled={enabled.value} vs hf {flag}|{flag}_full_eval={required}",
            help=_AUTO.format(enabled.name),
        )


def quantized(view: View, run: Run) -> Iterator[Contradiction]:
    """Yield ZeRO++'s quantized gradients that are not float16, and quantized bfloat16 weights of older versions."""
    if view.number(STAGE) != 3:
        return
    half, wire = _bfloat16(view, run), view.given("communication_data_type")
    dtype = named_dtype(wire.value) if wire else "bfloat16" if half else ""
    zero = "zero_optimization.zero_quantized_"
    gradients, weights = on(view, f"{zero}gradients"), on(view, f"{zero}weights", f"{zero}nontrainable_weights")
    if gradients and dtype in ("bfloat16", "float32"):
        yield Contradiction(
            says=f"zero_quantized_gradients is on, and gradients are sent in {dtype}",
            settings=(gradients, wire or half), severity="warning",
            effect=f"silent: between nodes, the kernel reads the memory of {dtype} gradients as float16, and the "
            "values are wrong; on one node, nothing is quantized",
            help="set zero_quantized_gradients to false, or train in fp16",
        )
    if weights and half:
        yield Contradiction(
            says=f"{weights.key.name.rpartition('.')[2]} is on with bfloat16", settings=(weights, half),
            severity="hint",
            effect="before DeepSpeed 0.19.8 silent: bfloat16 is read as float16, and the values are wrong, or "
            "RuntimeError: expected scalar type Half but found BFloat16; since then, weights are rounded to float16 "
            "when they are sent",
            help="use DeepSpeed 0.19.8 or later, or set it to false",
        )


def _bfloat16(view: View, run: Run) -> Setting | None:
    """Return the setting that makes the engine's weights bfloat16: its own, or the one that fills its "auto"."""
    own = view.given("bf16.enabled")
    if own is None or own.value is True:
        return own
    filling = (on(trainer, "bf16") for trainer in run.trainers)
    launched = accelerate.mixed(run.view("accelerate"), run)
    outer = launched.by if launched.value == "bfloat16" else None
    return next(filter(None, filling), outer) if own.value == "auto" else None


_SCALES = {"fp16.loss_scale": "0", "fp16.min_loss_scale": "1", "fp16.loss_scale_window": "1000"}
"""Numbers of loss scaling, with their defaults; 0 scales dynamically."""


def loss_scales(view: View, run: Run) -> Iterator[Contradiction]:
    """Yield values that are no loss scale."""
    dynamic = view.on("fp16.enabled") and view.number("fp16.loss_scale") in (None, 0.0)
    for key, default in _SCALES.items():
        setting = view.given(key)
        reason = _no_scale(setting.entry.value, key, dynamic=dynamic) if setting else ""
        if setting and reason:
            yield Contradiction(
                says=f"{setting.name} is {setting.entry.text}", settings=(setting,),
                effect=f"ValueError: {key} {reason}",
                help="use 0, which scales dynamically" if key == "fp16.loss_scale" else f"use {default}, the default",
                edit=replaced(setting, default),
            )


def _no_scale(value: Value, key: str, *, dynamic: bool) -> str:
    """Return why a value is no loss scale (precision_config.py, 0.19.8); "" if it is one, or if a trainer fills it."""
    if isinstance(value, Unknown) or value in (None, "auto"):
        return ""
    kind = "a number" if key == "fp16.loss_scale" else "an integer"
    if isinstance(value, bool):
        return f"must be {kind}, not bool"
    try:
        number = float(value)
    except ValueError:
        return f"must be {kind}"
    if not math.isfinite(number):
        return "must be a finite number (not inf/-inf/nan)"
    refused, says = number < 0, "must be >= 0 (0 enables dynamic loss scaling)"
    if key != "fp16.loss_scale":
        refused, says = dynamic and number <= 0, "must be > 0 when dynamic loss scaling is enabled (loss_scale=0)"
    return says if refused else ""
