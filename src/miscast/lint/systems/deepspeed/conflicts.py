"""Contradictions within DeepSpeed's JSON; `checks` has those with what starts the engine."""

from __future__ import annotations

from ...conflict import Check, Conflict, When, both
from ...messages import KEEP_ONE_HALF, UNSCALED
from ...run import Run
from ...setting import named_dtype
from ...view import View
from .checks import (
    STAGE,
    autocast_outside,
    loss_scales,
    quantized,
    unfilled,
    unlike_launcher,
)

_GONE = "DeepSpeedConfigError: NVIDIA Apex AMP integration has been removed."
_CONFIG = "deepspeed/runtime/config.py"
_CHECKS = f"{_CONFIG} _do_error_check, 0.19.8"
_MASTERS = ("fp16.fp16_master_weights_and_grads", "bf16.bf16_master_weights_and_grads")
_STATES = "bf16.bf16_optimizer_states"


def _zero(view: View) -> bool:
    """Check whether ZeRO is on."""
    return (view.number(STAGE) or 0) > 0


def _without_zero(key: str) -> When:
    return lambda view, _: view.on(key) and view.at(STAGE, 0, 0.0)


def _on_gpu(key: str) -> When:
    """Half-precision master weights with the optimizer on the GPU; bfloat16 ones need bfloat16 states."""

    def when(view: View, _: Run) -> bool:
        zero = "zero_optimization."
        offloaded = view.given(f"{zero}offload_optimizer.device") or view.below(f"{zero}cpu_offload")
        states = key.startswith("bf16") and not view.off(_STATES)
        return view.on(key) and not offloaded and not states and _zero(view)

    return when


def _differs(view: View, key: str) -> bool:
    """Check whether a dtype is not the model's; "auto" is filled by the trainer."""
    halves = {half: view.get(f"{half}.enabled") for half in ("fp16", "bf16")}
    if any(value not in (True, False) for value in halves.values()):
        return False
    model = "float16" if halves["fp16"] else "bfloat16" if halves["bf16"] else "float32"
    return named_dtype(view.get(key)) not in ("", model)


CONFLICTS = (
    Check(rule="auto-without-filler", search=unfilled, source="deepspeed/runtime/precision_config.py, 0.19.8"),
    Check(rule="autocast-around-engine", search=autocast_outside, source="deepspeed/runtime/torch_autocast.py, 0.19.8"),
    Check(
        rule="engine-contradicts-launcher", search=unlike_launcher,
        source="accelerate/utils/dataclasses.py, 1.15.0; transformers/integrations/deepspeed.py, 5.23.0",
    ),
    Check(rule="quantized-collectives", search=quantized, source="DeepSpeed 0.19.5 and 0.19.8"),
    Check(rule="rejected-value", search=loss_scales, source="deepspeed/runtime/precision_config.py, 0.19.8"),
    Conflict(
        rule="both-half-dtypes", keys=("fp16.enabled", "bf16.enabled"), when=both("fp16.enabled", "bf16.enabled"),
        says="fp16 and bf16 are both enabled", help=KEEP_ONE_HALF,
        effect="AssertionError: bfloat16 and fp16 modes cannot be simultaneously enabled", source=f"{_CONFIG}, 0.19.8",
    ),
    Conflict(
        rule="engine-options-exclude", keys=("amp.enabled", STAGE), when=lambda s, _: s.on("amp.enabled") and _zero(s),
        says="amp is enabled with ZeRO stage {1}",
        effect="before 0.19: AssertionError: Amp is not currently supported with ZeRO / RuntimeError; since 0.19: "
        f"{_GONE}",
        help="use bf16 or fp16 instead of amp", source=_CHECKS,
    ),
    Conflict(
        rule="engine-options-exclude", keys=("amp.enabled", "fp16.enabled", "bf16.enabled"),
        when=lambda s, _: s.on("amp.enabled") and (s.on("fp16.enabled") or s.on("bf16.enabled")),
        says="amp is enabled together with fp16 or bf16",
        effect="before 0.19: AssertionError: Cannot enable both amp with (legacy) fp16 or bfloat16 mode; since 0.19: "
        f"{_GONE}",
        help="drop amp", source=f"deepspeed/runtime/engine.py until 0.18; {_CHECKS}",
    ),
    Conflict(
        rule="engine-options-exclude", keys=("amp.enabled",),
        when=lambda s, _: s.on("amp.enabled") and not (_zero(s) or s.on("fp16.enabled") or s.on("bf16.enabled")),
        says="amp is enabled, which DeepSpeed 0.19 does not have", effect=_GONE,
        help="drop amp, and use bf16, fp16 or torch_autocast", source=_CHECKS,
    ),
    Conflict(
        rule="engine-options-exclude", severity="warning", keys=("amp.enabled",),
        when=lambda s, _: s.given("amp.enabled") is not None and s.off("amp.enabled"),
        says="amp is off, and DeepSpeed 0.19 rejects the section", effect=_GONE, help="drop amp",
        source=f"{_CONFIG} _REMOVED_TOP_LEVEL_CONFIG_KEYS, 0.19.8",
    ),
    Conflict(
        rule="engine-options-exclude", keys=(_STATES, _MASTERS[1]),
        when=lambda s, _: s.on(_STATES) and s.off(_MASTERS[1]),
        says="bf16_optimizer_states is on without bf16_master_weights_and_grads",
        effect="AssertionError: bf16_optimizer_states requires bf16_master_weights_and_grads to be enabled.",
        help="drop bf16_optimizer_states, or set both", source=_CHECKS,
    ),
    *(
        Conflict(
            rule="engine-options-exclude", keys=(key, STAGE), when=_without_zero(key), says=f"{key} is on without ZeRO",
            effect=f"AssertionError: {key.partition('.')[2].capitalize()} is only supported with ZeRO Stage 1, 2, "
            "or 3.",
            help="set zero_optimization.stage to 1, 2 or 3", source=_CHECKS,
        )
        for key in _MASTERS
    ),
    *(
        Conflict(
            rule="engine-options-exclude", keys=(key, STAGE), when=_on_gpu(key),
            says=f"{key} is on, and the optimizer is not offloaded",
            effect="AssertionError: Master weights feature requires ZeRO-{1:g} Offload with DeepSpeedCPUAdam.",
            help="offload the optimizer to the CPU, or, with bf16, set bf16_optimizer_states too",
            source="deepspeed/runtime/zero/stage_1_and_2.py and stage3.py, 0.19.8",
        )
        for key in _MASTERS
    ),
    Conflict(
        rule="engine-options-exclude", keys=("data_types.param_dtype", "fp16.enabled", "bf16.enabled"),
        when=lambda s, _: _differs(s, "data_types.param_dtype"),
        says="param_dtype is {0}, but the enabled precision is another",
        effect="AssertionError: data_types.param_dtype={0!r} conflicts with the enabled precision mode",
        help="drop param_dtype: fp16.enabled and bf16.enabled decide",
        source="deepspeed/runtime/engine.py _assert_valid_mixed_precision_config, 0.19.8",
    ),
    Conflict(
        rule="engine-options-exclude", keys=("data_types.grad_accum_dtype", "fp16.enabled", "bf16.enabled"),
        when=lambda s, _: s.at(STAGE, 0, 0.0) and _differs(s, "data_types.grad_accum_dtype"),
        says="grad_accum_dtype is {0}, but the enabled precision is another, without ZeRO",
        effect="NotImplementedError: unsupported mix of model_dtype and grad_accum_dtype",
        help="set zero_optimization.stage to 1, or drop grad_accum_dtype",
        source="deepspeed/runtime/engine.py _do_optimizer_sanity_check, 0.19.8",
    ),
    Conflict(
        rule="engine-options-exclude", keys=("torch_autocast.enabled", "zero_optimization.zero_quantized_weights"),
        when=both("torch_autocast.enabled", "zero_optimization.zero_quantized_weights"),
        says="torch_autocast and zero_quantized_weights are both on",
        effect="AssertionError: Cannot enable both torch autocast and zero quantized weights", help="drop one of them",
        source="deepspeed/runtime/torch_autocast.py, 0.19.8",
    ),
    Conflict(
        rule="float16-without-loss-scaling", severity="warning", keys=("fp16.loss_scale", "fp16.enabled"),
        when=lambda s, _: s.on("fp16.enabled") and s.at("fp16.loss_scale", 1, 1.0),
        says="fp16 is enabled and loss_scale is fixed at 1, so nothing is scaled", effect=UNSCALED,
        help="use loss_scale 0, which scales dynamically", fix=("fp16.loss_scale", "0"),
        source="deepspeed/runtime/precision_config.py, 0.19.8",
    ),
    Conflict(
        rule="reduction-overflows", severity="warning", keys=("communication_data_type", "bf16.enabled"),
        when=lambda s, _: s.text("communication_data_type") == "fp16" and s.on("bf16.enabled"),
        says="bf16 gradients are reduced in fp16", effect="silent: sums above 65504 become infinite on every rank",
        help='set communication_data_type to "fp32"', source=f"{_CONFIG}, 0.19.8",
        fix=("communication_data_type", '"fp32"'),
    ),
)
