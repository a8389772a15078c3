"""Options of DeepSpeed's JSON exclude one another.

## What
`amp` beside ZeRO, `fp16` or `bf16`; `bf16_optimizer_states` without `bf16_master_weights_and_grads`; half masters
without ZeRO; `torch_autocast` beside quantized weights; `data_types` that are not the enabled precision's.

## Why
The engine refuses them when it starts. Since 0.19 `amp` is gone altogether.

## Example
    "amp": {"enabled": true}, "zero_optimization": {"stage": 2}

## Use instead
    "bf16": {"enabled": true}, "zero_optimization": {"stage": 2}

## Fix safety
Not safe: apex and bf16 round differently.
"""

from __future__ import annotations

from ..conflict import Conflict, When
from ..run import Run
from ..setting import named_dtype
from ..view import View

_AMP = "before 0.19: AssertionError: Amp is not currently supported with ZeRO / RuntimeError; since 0.19: "
_GONE = "DeepSpeedConfigError: NVIDIA Apex AMP integration has been removed."
_CONFIG = "deepspeed/runtime/config.py _do_error_check, 0.19.8"


def _without_zero(key: str) -> When:
    def when(view: View, _: Run) -> bool:
        return view.on(key) and view.at("zero_optimization.stage", 0, 0.0)

    return when


def _kept_on_gpu(key: str) -> When:
    """Half masters of an optimizer on the GPU; in bfloat16 they may be, if the states are too."""

    def when(view: View, _: Run) -> bool:
        zero = "zero_optimization."
        offloaded = view.given(f"{zero}offload_optimizer.device") or view.below(
            f"{zero}cpu_offload"
        )
        states = key.startswith("bf16") and not view.off("bf16.bf16_optimizer_states")
        return (
            view.on(key)
            and not offloaded
            and not states
            and _zero(view.number(f"{zero}stage"))
        )

    return when


def _differs(view: View, key: str) -> bool:
    """Whether a dtype is not that of the model; "auto" is for the trainer to fill."""
    if view.get("fp16.enabled") not in (True, False) or view.get(
        "bf16.enabled"
    ) not in (True, False):
        return False
    model = (
        "float16"
        if view.on("fp16.enabled")
        else "bfloat16"
        if view.on("bf16.enabled")
        else "float32"
    )
    named = named_dtype(view.get(key))
    return named not in ("", model)


def _zero(stage: float | None) -> bool:
    return stage is not None and stage > 0


CONFLICTS = (
    Conflict(
        system="deepspeed",
        keys=("amp.enabled", "zero_optimization.stage"),
        when=lambda s, _: (
            s.on("amp.enabled") and _zero(s.number("zero_optimization.stage"))
        ),
        says="amp is enabled with ZeRO stage {1}",
        effect=f"{_AMP}{_GONE}",
        help="use bf16 or fp16 instead of amp",
        source=_CONFIG,
    ),
    Conflict(
        system="deepspeed",
        keys=("amp.enabled", "fp16.enabled", "bf16.enabled"),
        when=lambda s, _: (
            s.on("amp.enabled") and (s.on("fp16.enabled") or s.on("bf16.enabled"))
        ),
        says="amp is enabled beside fp16 or bf16",
        effect="before 0.19: AssertionError: Cannot enable both amp with (legacy) fp16 or bfloat16 "
        f"mode; since 0.19: {_GONE}",
        help="drop amp",
        source="deepspeed/runtime/engine.py until 0.18; " + _CONFIG,
    ),
    Conflict(
        system="deepspeed",
        keys=("amp.enabled",),
        when=lambda s, _: (
            s.on("amp.enabled")
            and not _zero(s.number("zero_optimization.stage"))
            and not s.on("fp16.enabled")
            and not s.on("bf16.enabled")
        ),
        says="amp is enabled: DeepSpeed 0.19 has none",
        effect=_GONE,
        help="drop amp, and use bf16, fp16 or torch_autocast",
        source=_CONFIG,
    ),
    Conflict(
        system="deepspeed",
        keys=("amp.enabled",),
        when=lambda s, _: s.given("amp.enabled") is not None and s.off("amp.enabled"),
        says="amp is off: DeepSpeed 0.19 refuses its mention",
        effect=_GONE,
        severity="warning",
        help="drop amp",
        source="deepspeed/runtime/config.py _REMOVED_TOP_LEVEL_CONFIG_KEYS, 0.19.8",
    ),
    Conflict(
        system="deepspeed",
        keys=("bf16.bf16_optimizer_states", "bf16.bf16_master_weights_and_grads"),
        when=lambda s, _: (
            s.on("bf16.bf16_optimizer_states")
            and s.off("bf16.bf16_master_weights_and_grads")
        ),
        says="bf16_optimizer_states is on without bf16_master_weights_and_grads",
        effect="AssertionError: bf16_optimizer_states requires bf16_master_weights_and_grads to be enabled.",
        help="drop bf16_optimizer_states, or set both",
        source=_CONFIG,
    ),
    *(
        Conflict(
            system="deepspeed",
            keys=(key, "zero_optimization.stage"),
            when=_without_zero(key),
            says=f"{key} is on without ZeRO",
            effect=f"AssertionError: {key.partition('.')[2].capitalize()} is only supported with ZeRO Stage 1, 2, "
            "or 3.",
            help="set zero_optimization.stage to 1, 2 or 3",
            source=_CONFIG,
        )
        for key in (
            "fp16.fp16_master_weights_and_grads",
            "bf16.bf16_master_weights_and_grads",
        )
    ),
    *(
        Conflict(
            system="deepspeed",
            keys=(key, "zero_optimization.stage"),
            when=_kept_on_gpu(key),
            says=f"{key} is on, and the optimizer is not offloaded",
            effect="AssertionError: Master weights feature requires ZeRO-{1:g} Offload with DeepSpeedCPUAdam.",
            help="offload the optimizer to the CPU, or, with bf16, set bf16_optimizer_states too",
            source="deepspeed/runtime/zero/stage_1_and_2.py and stage3.py, 0.19.8",
        )
        for key in (
            "fp16.fp16_master_weights_and_grads",
            "bf16.bf16_master_weights_and_grads",
        )
    ),
    Conflict(
        system="deepspeed",
        keys=("data_types.param_dtype", "fp16.enabled", "bf16.enabled"),
        when=lambda s, _: _differs(s, "data_types.param_dtype"),
        says="param_dtype is {0}, the enabled precision is another",
        effect="AssertionError: data_types.param_dtype={0!r} conflicts with the enabled precision mode",
        help="drop param_dtype: fp16.enabled and bf16.enabled decide",
        source="deepspeed/runtime/engine.py _assert_valid_mixed_precision_config, 0.19.8",
    ),
    Conflict(
        system="deepspeed",
        keys=("data_types.grad_accum_dtype", "fp16.enabled", "bf16.enabled"),
        when=lambda s, _: (
            s.at("zero_optimization.stage", 0, 0.0)
            and _differs(s, "data_types.grad_accum_dtype")
        ),
        says="grad_accum_dtype is {0}, the enabled precision is another, and there is no ZeRO",
        effect="NotImplementedError: unsupported mix of model_dtype and grad_accum_dtype",
        help="set zero_optimization.stage to 1, or drop grad_accum_dtype",
        source="deepspeed/runtime/engine.py _do_optimizer_sanity_check, 0.19.8",
    ),
    Conflict(
        system="deepspeed",
        keys=("torch_autocast.enabled", "zero_optimization.zero_quantized_weights"),
        when=lambda s, _: (
            s.on("torch_autocast.enabled")
            and s.on("zero_optimization.zero_quantized_weights")
        ),
        says="torch_autocast is enabled beside zero_quantized_weights",
        effect="AssertionError: Cannot enable both torch autocast and zero quantized weights",
        help="drop one of them",
        source="deepspeed/runtime/torch_autocast.py, 0.19.8",
    ),
)
