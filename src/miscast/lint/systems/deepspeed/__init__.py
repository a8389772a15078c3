"""DeepSpeed's JSON, also inside another file; accelerate or the Trainer fill in `"auto"`."""

from __future__ import annotations

from collections.abc import Iterator

from ...run import Run
from ...system import Number, Switch, System, Text
from ...table import UNKNOWN, Cell, Component, dtype, trained
from ...view import View

_CONFIG = "deepspeed/runtime/config.py"
_PRECISION = "deepspeed/runtime/precision_config.py"

KEYS = (
    Switch(name="fp16.enabled", means="float16 weights, float32 master weights", source=_PRECISION),
    Switch(name="fp16.auto_cast", source=_PRECISION),
    Text(name="fp16.loss_scale", default=0, means="0: dynamic", source=_PRECISION),
    Number(name="fp16.initial_scale_power", default=16, source=_PRECISION),
    Switch(name="fp16.fp16_master_weights_and_grads", source=_PRECISION),
    Switch(name="bf16.enabled", aliases=("bfloat16.enabled",), means="bfloat16 weights, float32 master weights",
           source=f"{_PRECISION}; bfloat16 is the old spelling"),
    Switch(name="bf16.bf16_master_weights_and_grads", source=_PRECISION),
    Switch(name="bf16.bf16_optimizer_states", source=_PRECISION),
    Switch(name="torch_autocast.enabled", source=_CONFIG),
    Text(name="torch_autocast.dtype", source=_CONFIG),
    Number(name="zero_optimization.stage", default=0, source="deepspeed/runtime/zero/config.py"),
    Switch(name="zero_optimization.zero_quantized_weights", source="runtime/zero/config.py"),
    Switch(name="zero_optimization.zero_quantized_gradients", source="runtime/zero/config.py"),
    Switch(name="zero_optimization.zero_quantized_nontrainable_weights", source="deepspeed/runtime/zero/config.py"),
    Text(name="zero_optimization.offload_optimizer.device", source="runtime/zero/offload_config.py"),
    Text(
        name="communication_data_type", allowed=("fp16", "bf16", "fp32"),
        rejects="ValueError: Invalid communication_data_type. Supported data types: ['fp16', 'bf16', 'fp32']. "
        "Got: {value}",
        source=f"{_CONFIG} get_communication_data_type",
    ),
    Text(name="data_types.grad_accum_dtype", source="deepspeed/runtime/constants.py"),
    Text(name="data_types.param_dtype", since="0.19", source="deepspeed/runtime/engine.py, 0.19.8"),
    Number(name="fp16.min_loss_scale", default=1, source=_PRECISION),
    Number(name="fp16.loss_scale_window", default=1000, source=_PRECISION),
    Switch(name="amp.enabled", until="0.19", source=f"{_CONFIG} _REMOVED_TOP_LEVEL_CONFIG_KEYS, 0.19.8"),
    Text(name="optimizer.type", source=_CONFIG),
    Number(name="optimizer.params.lr", source=_CONFIG),
    Number(name="gradient_accumulation_steps", source=_CONFIG),
)
_OTHERS = frozenset(
    "train_batch_size train_micro_batch_size_per_gpu steps_per_print gradient_clipping wall_clock_breakdown "
    "prescale_gradients zero_allow_untested_optimizer fp16.hysteresis "
    "fp16.consecutive_hysteresis fp16.opt_level amp.opt_level bf16.immediate_grad_update bf16.check_grad_overflow "
    "scheduler.type zero_force_ds_cpu_optimizer bf16.accumulate_grads_in_fp32".split()
)


def precision(view: View, outside: Cell = UNKNOWN) -> Cell:
    """Return the dtype of the engine's weights; `outside` fills in "auto"."""
    for key, name in (("fp16.enabled", "float16"), ("bf16.enabled", "bfloat16")):
        setting = view.given(key)
        if setting is None:
            continue
        if setting.value is True:
            return Cell(value=name, by=setting)
        if setting.value == "auto" and outside.value == name:
            return Cell(value=name, by=outside.by or setting, why=f"fills {key}: auto")
        if setting.value not in (True, False) and outside.value == "unknown":
            return Cell(value="unknown", by=setting, why="filled in by the trainer")
    return Cell(value="off", why="neither fp16 nor bf16 is enabled")


def stage(run: Run) -> int | None:
    """Return the ZeRO stage of a run's engine, by its JSON or by the launcher; None if there is no engine."""
    engine, launcher = run.view("deepspeed"), run.view("accelerate")
    if engine:
        return int(engine.number("zero_optimization.stage") or 0)
    if not (launcher.at("distributed_type", "DEEPSPEED") or launcher.on("use_deepspeed")):
        return None
    return int(launcher.number("deepspeed_config.zero_stage") or 0)


def engaged(run: Run, autocast: Cell) -> Cell:
    """Return the dtype of the engine's weights in a run, by its JSON or by the launcher; off if there is no engine."""
    engine, launcher = run.view("deepspeed"), run.view("accelerate")
    if engine:
        return precision(engine, autocast)
    if stage(run) is None:
        return Cell(value="off")
    file = launcher.given("deepspeed_config.deepspeed_config_file")
    return Cell(value="unknown", by=file, why="in a file that is not read") if file else autocast


def scaled(view: View, inside: Cell) -> Cell:
    """Return the engine's own loss scaling."""
    if inside.value != "float16":
        return Cell(value="off", why="float16 only")
    setting = view.given("fp16.loss_scale")
    fixed = setting.entry.value if setting is not None else 0
    text = f"fixed, {fixed}" if isinstance(fixed, (int, float)) and not isinstance(fixed, bool) and fixed else "dynamic"
    return Cell(value=text, by=setting or inside.by)


def effective(view: View, run: Run) -> Iterator[Component]:
    """Yield the engine's module."""
    inside = precision(view)
    weights = inside if inside.value != "off" else Cell(value="float32", why="neither fp16 nor bf16 is enabled")
    if inside.value == "unknown":
        yield Component(name="model", parameters=inside, compute=inside, gradients=inside)
        return
    kept = "bfloat16" if view.on("bf16.bf16_optimizer_states") else "float32"
    states = Cell(value=kept, by=view.given("bf16.bf16_optimizer_states") or inside.by, why="master weights")
    wire = view.given("communication_data_type")
    autocast = view.given("torch_autocast.dtype") if view.on("torch_autocast.enabled") else None
    mixed = Cell(value="unknown", by=autocast, why="torch_autocast sends the gradients of matrix products in its dtype")
    yield trained(
        "model", weights=weights,
        autocast=Cell(value=dtype(autocast.value), by=autocast) if autocast else Cell(value="off", by=inside.by),
        gradients=mixed if autocast else None, states=states,
        reduction=Cell(value=dtype(wire.value), by=wire) if wire else None, scaling=scaled(view, inside),
    )


SYSTEM = System(
    name="deepspeed", title="DeepSpeed", version="0.19.8", role="engine", source=f"{_CONFIG}, {_PRECISION}", keys=KEYS,
    others=_OTHERS,
    marks=(("zero_optimization.",), ("train_micro_batch_size_per_gpu",), ("train_batch_size", "fp16.enabled"),
           ("train_batch_size", "bf16.enabled"), ("train_batch_size", "optimizer.type"), ("fp16.enabled",),
           ("bf16.enabled",), ("bfloat16.enabled",), ("amp.enabled",)),
    unless=("output_dir", "base_model", "mixed_precision", "compute_environment"),
    nested=("deepspeed.", "config_params.", "hf_ds_config."), effective=effective,
    unknown_key="in fp16 and bf16, ValidationError: Extra inputs are not permitted (0.19.8); elsewhere, silent",
    closed=("fp16.", "bf16.", "bfloat16."), closed_since="DeepSpeed 0.17.1 and later",
    key_twice="ValueError: Found duplicate keys in DeepSpeed config",
)
