"""Contradictions of DeepSpeed's JSON, alone and with what starts the engine."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

from ...calls import calls
from ...conflict import Check, Conflict, When, both
from ...contradiction import Contradiction, replaced
from ...deciding import on
from ...messages import KEEP_ONE_HALF, UNSCALED
from ...run import Run
from ...setting import Unknown, Value, named_dtype
from ...system import Setting
from ...view import View
from .. import accelerate, transformers

_GONE = "DeepSpeedConfigError: NVIDIA Apex AMP integration has been removed."
_CONFIG = "deepspeed/runtime/config.py"
_CHECKS = f"{_CONFIG} _do_error_check, 0.19.8"
_STAGE = "zero_optimization.stage"
_MASTERS = ("fp16.fp16_master_weights_and_grads", "bf16.bf16_master_weights_and_grads")
_STATES = "bf16.bf16_optimizer_states"


def _zero(view: View) -> bool:
    """Whether ZeRO is on."""
    return (view.number(_STAGE) or 0) > 0


def _without_zero(key: str) -> When:
    return lambda view, _: view.on(key) and view.at(_STAGE, 0, 0.0)


def _on_gpu(key: str) -> When:
    """Half-precision master weights with the optimizer on the GPU; bfloat16 ones need bfloat16 states."""

    def when(view: View, _: Run) -> bool:
        zero = "zero_optimization."
        offloaded = view.given(f"{zero}offload_optimizer.device") or view.below(f"{zero}cpu_offload")
        states = key.startswith("bf16") and not view.off(_STATES)
        return view.on(key) and not offloaded and not states and _zero(view)

    return when


def _differs(view: View, key: str) -> bool:
    """Whether a dtype is not the model's; "auto" is filled by the trainer."""
    halves = {half: view.get(f"{half}.enabled") for half in ("fp16", "bf16")}
    if any(value not in (True, False) for value in halves.values()):
        return False
    model = "float16" if halves["fp16"] else "bfloat16" if halves["bf16"] else "float32"
    return named_dtype(view.get(key)) not in ("", model)


def _unfilled(view: View, run: Run) -> Iterator[Contradiction]:
    """Yield switches of "auto" that nothing fills, where the program that uses the file is known."""
    called = any(claimed.document.name.endswith("deepspeed.initialize") for claimed in run.claimed)
    if any(other.system.facts.fills_auto for other in run.views) or not (called or run.view("sat")):
        return
    for setting in map(view.given, ("fp16.enabled", "bf16.enabled")):
        if setting is not None and setting.value == "auto":
            yield Contradiction(
                says=f'{setting.name} is "auto", and nothing here fills it',
                settings=(setting,),
                severity="warning",
                effect="silent: DeepSpeed takes it as off, and the model trains in float32",
                help="write true or false",
            )


def _autocast_outside(view: View, run: Run) -> Iterator[Contradiction]:
    """Yield the first region of autocast around an engine without autocast."""
    if view.on("torch_autocast.enabled") or run.view("accelerate") or run.view("transformers"):
        return
    regions = (region for region in calls(run, "autocast") if region.on("enabled"))
    for region in itertools.islice(regions, 1):
        yield Contradiction(
            says="torch.autocast around a DeepSpeed engine without torch_autocast",
            settings=(region.given("dtype"), view.entry("bf16.enabled", "fp16.enabled")),
            otherwise=region.place,
            severity="warning",
            effect="silent: the engine switches autocast off inside; only the fp16 and bf16 sections decide "
            "(AssertionError: torch.autocast is enabled outside DeepSpeed, in 0.17.2 to 0.17.5)",
            help="configure torch_autocast in the JSON, or drop the region",
        )


_OTHER = {"fp16": "bf16", "bf16": "fp16", "fp8": "fp16"}
"""The half dtype that a `mixed_precision` excludes: fp8 computes in bf16 elsewhere."""


def _unlike_launcher(view: View, run: Run) -> Iterator[Contradiction]:
    """Yield a half dtype of the JSON that is not the launcher's, else one that is not a trainer's."""
    setting = _compared(run)
    other = _OTHER.get(setting.value) if setting and isinstance(setting.value, str) else None
    enabled = view.given(f"{other}.enabled")
    if setting is None or enabled is None or enabled.value is not True:
        for trainer in run.trainers:
            yield from _unlike_trainer(trainer, view)
        return
    yield Contradiction(
        says=f"{setting.name} is {setting.value}, DeepSpeed's JSON enables {other}",
        settings=(setting, enabled),
        effect=f"ValueError: `--mixed_precision` arg cannot be set to `{setting.value}` when `{other}` is set in "
        "the DeepSpeed config file.",
        help=_AUTO.format(enabled.name),
    )


_AUTO = 'set {} to "auto", and let the trainer fill it'


def _compared(run: Run) -> Setting | None:
    """The `mixed_precision` that accelerate compares with the JSON: a script's own, else the launcher's."""
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


def _quantized(view: View, run: Run) -> Iterator[Contradiction]:
    """Yield ZeRO++'s quantized gradients that are not float16, and quantized bfloat16 weights of older versions."""
    if view.number(_STAGE) != 3:
        return
    half, wire = _bfloat16(view, run), view.given("communication_data_type")
    dtype = named_dtype(wire.value) if wire else "bfloat16" if half else ""
    zero = "zero_optimization.zero_quantized_"
    gradients, weights = on(view, f"{zero}gradients"), on(view, f"{zero}weights", f"{zero}nontrainable_weights")
    if gradients and dtype in ("bfloat16", "float32"):
        yield Contradiction(
            says=f"zero_quantized_gradients is on, and gradients are sent in {dtype}",
            settings=(gradients, wire or half),
            severity="warning",
            effect=f"silent: between nodes, the kernel reads the memory of {dtype} gradients as float16, and the "
            "values are wrong; on one node, nothing is quantized",
            help="set zero_quantized_gradients to false, or train in fp16",
        )
    if weights and half:
        yield Contradiction(
            says=f"{weights.key.name.rpartition('.')[2]} is on with bfloat16",
            settings=(weights, half),
            severity="hint",
            effect="before DeepSpeed 0.19.8 silent: bfloat16 is read as float16, and the values are wrong, or "
            "RuntimeError: expected scalar type Half but found BFloat16; since then, weights are rounded to float16 "
            "when they are sent",
            help="use DeepSpeed 0.19.8 or later, or set it to false",
        )


def _bfloat16(view: View, run: Run) -> Setting | None:
    """The setting that makes the engine's weights bfloat16: its own, or the one that fills its "auto"."""
    own = view.given("bf16.enabled")
    if own is None or own.value is True:
        return own
    filling = (on(trainer, "bf16") for trainer in run.trainers)
    launched = accelerate.mixed(run.view("accelerate"), run)
    outer = launched.by if launched.value == "bfloat16" else None
    return next(filter(None, filling), outer) if own.value == "auto" else None


_SCALES = {"fp16.loss_scale": "0", "fp16.min_loss_scale": "1", "fp16.loss_scale_window": "1000"}
"""Numbers of loss scaling, with their defaults; 0 scales dynamically."""


def _loss_scales(view: View, run: Run) -> Iterator[Contradiction]:
    """Yield values that are no loss scale."""
    dynamic = view.on("fp16.enabled") and view.number("fp16.loss_scale") in (None, 0.0)
    for key, default in _SCALES.items():
        setting = view.given(key)
        reason = _no_scale(setting.entry.value, key, dynamic=dynamic) if setting else ""
        if setting and reason:
            yield Contradiction(
                says=f"{setting.name} is {setting.entry.text}",
                settings=(setting,),
                effect=f"ValueError: {key} {reason}",
                help="0 scales dynamically" if key == "fp16.loss_scale" else f"{default} is the default",
                edit=replaced(setting, default),
            )


def _no_scale(value: Value, key: str, *, dynamic: bool) -> str:
    """Why a value is no loss scale (precision_config.py, 0.19.8); "" if it is one, or if a trainer fills it."""
    if isinstance(value, Unknown) or value is None or value == "auto":
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
    if key == "fp16.loss_scale":
        return "must be >= 0 (0 enables dynamic loss scaling)" if number < 0 else ""
    refused = number <= 0 and dynamic
    return "must be > 0 when dynamic loss scaling is enabled (loss_scale=0)" if refused else ""


CONFLICTS = (
    Check(rule="auto-without-filler", search=_unfilled),
    Check(rule="autocast-around-engine", search=_autocast_outside),
    Check(rule="engine-contradicts-launcher", search=_unlike_launcher),
    Check(rule="quantized-collectives", search=_quantized),
    Check(rule="rejected-value", search=_loss_scales),
    Conflict(
        rule="both-half-dtypes",
        keys=("fp16.enabled", "bf16.enabled"),
        when=both("fp16.enabled", "bf16.enabled"),
        says="fp16 and bf16 are both enabled",
        help=KEEP_ONE_HALF,
        effect="AssertionError: bfloat16 and fp16 modes cannot be simultaneously enabled",
        source=f"{_CONFIG}, 0.19.8",
    ),
    Conflict(
        rule="engine-options-exclude",
        keys=("amp.enabled", _STAGE),
        when=lambda s, _: s.on("amp.enabled") and _zero(s),
        says="amp is enabled with ZeRO stage {1}",
        effect="before 0.19: AssertionError: Amp is not currently supported with ZeRO / RuntimeError; since 0.19: "
        f"{_GONE}",
        help="use bf16 or fp16 instead of amp",
        source=_CHECKS,
    ),
    Conflict(
        rule="engine-options-exclude",
        keys=("amp.enabled", "fp16.enabled", "bf16.enabled"),
        when=lambda s, _: s.on("amp.enabled") and (s.on("fp16.enabled") or s.on("bf16.enabled")),
        says="amp is enabled together with fp16 or bf16",
        effect="before 0.19: AssertionError: Cannot enable both amp with (legacy) fp16 or bfloat16 mode; since 0.19: "
        f"{_GONE}",
        help="drop amp",
        source=f"deepspeed/runtime/engine.py until 0.18; {_CHECKS}",
    ),
    Conflict(
        rule="engine-options-exclude",
        keys=("amp.enabled",),
        when=lambda s, _: s.on("amp.enabled") and not (_zero(s) or s.on("fp16.enabled") or s.on("bf16.enabled")),
        says="amp is enabled, which DeepSpeed 0.19 does not have",
        effect=_GONE,
        help="drop amp, and use bf16, fp16 or torch_autocast",
        source=_CHECKS,
    ),
    Conflict(
        rule="engine-options-exclude",
        keys=("amp.enabled",),
        when=lambda s, _: s.given("amp.enabled") is not None and s.off("amp.enabled"),
        says="amp is off, and DeepSpeed 0.19 rejects the section",
        effect=_GONE,
        severity="warning",
        help="drop amp",
        source=f"{_CONFIG} _REMOVED_TOP_LEVEL_CONFIG_KEYS, 0.19.8",
    ),
    Conflict(
        rule="engine-options-exclude",
        keys=(_STATES, _MASTERS[1]),
        when=lambda s, _: s.on(_STATES) and s.off(_MASTERS[1]),
        says="bf16_optimizer_states is on without bf16_master_weights_and_grads",
        effect="AssertionError: bf16_optimizer_states requires bf16_master_weights_and_grads to be enabled.",
        help="drop bf16_optimizer_states, or set both",
        source=_CHECKS,
    ),
    *(
        Conflict(
            rule="engine-options-exclude",
            keys=(key, _STAGE),
            when=_without_zero(key),
            says=f"{key} is on without ZeRO",
            effect=f"AssertionError: {key.partition('.')[2].capitalize()} is only supported with ZeRO Stage 1, 2, "
            "or 3.",
            help="set zero_optimization.stage to 1, 2 or 3",
            source=_CHECKS,
        )
        for key in _MASTERS
    ),
    *(
        Conflict(
            rule="engine-options-exclude",
            keys=(key, _STAGE),
            when=_on_gpu(key),
            says=f"{key} is on, and the optimizer is not offloaded",
            effect="AssertionError: Master weights feature requires ZeRO-{1:g} Offload with DeepSpeedCPUAdam.",
            help="offload the optimizer to the CPU, or, with bf16, set bf16_optimizer_states too",
            source="deepspeed/runtime/zero/stage_1_and_2.py and stage3.py, 0.19.8",
        )
        for key in _MASTERS
    ),
    Conflict(
        rule="engine-options-exclude",
        keys=("data_types.param_dtype", "fp16.enabled", "bf16.enabled"),
        when=lambda s, _: _differs(s, "data_types.param_dtype"),
        says="param_dtype is {0}, but the enabled precision is another",
        effect="AssertionError: data_types.param_dtype={0!r} conflicts with the enabled precision mode",
        help="drop param_dtype: fp16.enabled and bf16.enabled decide",
        source="deepspeed/runtime/engine.py _assert_valid_mixed_precision_config, 0.19.8",
    ),
    Conflict(
        rule="engine-options-exclude",
        keys=("data_types.grad_accum_dtype", "fp16.enabled", "bf16.enabled"),
        when=lambda s, _: s.at(_STAGE, 0, 0.0) and _differs(s, "data_types.grad_accum_dtype"),
        says="grad_accum_dtype is {0}, but the enabled precision is another, without ZeRO",
        effect="NotImplementedError: unsupported mix of model_dtype and grad_accum_dtype",
        help="set zero_optimization.stage to 1, or drop grad_accum_dtype",
        source="deepspeed/runtime/engine.py _do_optimizer_sanity_check, 0.19.8",
    ),
    Conflict(
        rule="engine-options-exclude",
        keys=("torch_autocast.enabled", "zero_optimization.zero_quantized_weights"),
        when=both("torch_autocast.enabled", "zero_optimization.zero_quantized_weights"),
        says="torch_autocast and zero_quantized_weights are both on",
        effect="AssertionError: Cannot enable both torch autocast and zero quantized weights",
        help="drop one of them",
        source="deepspeed/runtime/torch_autocast.py, 0.19.8",
    ),
    Conflict(
        rule="float16-without-loss-scaling",
        keys=("fp16.loss_scale", "fp16.enabled"),
        severity="warning",
        when=lambda s, _: s.on("fp16.enabled") and s.at("fp16.loss_scale", 1, 1.0),
        says="fp16 is enabled and loss_scale is fixed at 1, so nothing is scaled",
        effect=UNSCALED,
        help="loss_scale 0 scales dynamically",
        fix=("fp16.loss_scale", "0"),
        source="deepspeed/runtime/precision_config.py, 0.19.8",
    ),
    Conflict(
        rule="reduction-overflows",
        keys=("communication_data_type", "bf16.enabled"),
        severity="warning",
        when=lambda s, _: s.text("communication_data_type") == "fp16" and s.on("bf16.enabled"),
        says="bf16 gradients are reduced in fp16",
        effect="silent: sums above 65504 become infinite on every rank",
        help='set communication_data_type to "fp32"',
        source=f"{_CONFIG}, 0.19.8",
        fix=("communication_data_type", '"fp32"'),
    ),
)
