"""Transformers' `TrainingArguments`: arguments of a script, a YAML or JSON file for HfArgumentParser, or a call."""

from __future__ import annotations

from collections.abc import Iterator

from ..calls import adapted, loaded
from ..deciding import allowed_by, switched
from ..facts import Facts, Halves
from ..prepared import prepared
from ..run import Run
from ..setting import Unknown
from ..system import Number, Switch, System, Text
from ..table import UNKNOWN, Cell, Component, dtype, frozen
from ..view import View
from . import accelerate

_SOURCE = "transformers/training_args.py"
_TF32 = "ValueError: --tf32 requires Ampere or a newer GPU arch, cuda>=11 and torch>=1.7"

KEYS = (
    Switch(name="fp16", means="float16 autocast with a grad scaler", source=_SOURCE),
    Switch(name="bf16", means="bfloat16 autocast", source=_SOURCE),
    Switch(name="fp16_full_eval", means="float16 weights in evaluation", source=_SOURCE),
    Switch(name="bf16_full_eval", means="bfloat16 weights in evaluation", source=_SOURCE),
    Switch(name="tf32", default=None, means="TF32 in float32 products and convolutions", source=_SOURCE),
    Switch(name="use_cpu", aliases=("no_cuda",), source=f"{_SOURCE}; no_cuda until 5.0"),
    Text(name="half_precision_backend", aliases=("fp16_backend",), until="5.0", source=_SOURCE),
    Text(name="optim", default="adamw_torch_fused", source=f"{_SOURCE} default_optim"),
    Number(name="learning_rate", default=5e-5, source=_SOURCE),
    Switch(name="gradient_checkpointing", source=_SOURCE),
    Text(name="deepspeed", means="DeepSpeed's JSON; its auto values are filled from here", source=_SOURCE),
    Text(name="fsdp", source=_SOURCE),
    Number(
        name="fsdp_version", default=2, aliases=("fsdp_config.version", "fsdp_config.fsdp_version"),
        source=f"{_SOURCE} _process_fsdp_args: 1 until 5.0",
    ),
    Text(name="torch_dtype", aliases=("dtype",), means="the dtype of the weights", source="modeling_utils"),
    Text(name="attn_implementation", source="modeling_utils.py"),
    Switch(name="load_in_4bit", source="utils/quantization_config.py"),
    Switch(name="load_in_8bit", source="utils/quantization_config.py"),
    Text(name="bnb_4bit_compute_dtype", source="utils/quantization_config.py"),
    Switch(name="use_peft", aliases=("use_lora",), source="trl/trainer/model_config.py"),
    Text(name="fsdp_config.mixed_precision", source=_SOURCE),
    Text(name="model_name_or_path", source="examples/pytorch"),
)
_OTHERS = frozenset(
    "output_dir per_device_train_batch_size num_train_epochs max_steps lr_scheduler_type lr_scheduler_kwargs "
    "warmup_steps warmup_ratio optim_args weight_decay adam_beta1 adam_beta2 adam_epsilon optim_target_modules "
    "gradient_accumulation_steps average_tokens_across_devices max_grad_norm label_smoothing_factor "
    "activation_checkpointing activation_checkpointing_kwargs gradient_checkpointing_kwargs torch_compile "
    "torch_compile_backend torch_compile_mode use_liger_kernel liger_kernel_config use_cache neftune_noise_alpha "
    "torch_empty_cache_steps auto_find_batch_size logging_strategy logging_steps logging_first_step log_on_each_node "
    "logging_nan_inf_filter log_level disable_tqdm report_to run_name eval_strategy evaluation_strategy eval_steps "
    "eval_delay per_device_eval_batch_size save_strategy save_steps save_total_limit push_to_hub hub_model_id seed "
    "data_seed dataloader_drop_last dataloader_num_workers remove_unused_columns label_names ddp_timeout "
    "ddp_find_unused_parameters fsdp_config do_train do_eval do_predict resume_from_checkpoint local_rank "
    "overwrite_output_dir fp16_opt_level packing max_length max_seq_length dataset_name lora_r lora_alpha".split()
)


def mixed(view: View, run: Run) -> Cell:
    """The dtype of autocast, and what decided it: a flag, the system's default, else the launcher's (line 1614)."""
    for key, name in (("fp16", "float16"), ("bf16", "bfloat16")):
        if view.on(key):
            return Cell(value=name, by=view.given(key))
        if view.get(key) not in (False, None):
            return UNKNOWN
    title = view.system.title
    if unasked(view):
        return Cell(value="bfloat16", why=f"default of {title}")
    launcher = accelerate.mixed(run.view("accelerate"), run)
    return launcher if launcher.by else Cell(value="off", why=f"neither fp16 nor bf16: default of {title}")


def halves(view: View) -> Halves:
    """The `fp16` and `bf16` that the Trainer gets, for training or evaluation; None for what is unknown."""
    return {flag: _half(view, flag) for flag in ("fp16", "bf16")}


def _half(view: View, flag: str) -> bool | None:
    value, full = view.get(flag), f"{flag}_full_eval"
    if value not in (True, False, None):
        return None
    evaluated = full in view.system.by_name and view.on(full)
    return value is True or evaluated or (flag == "bf16" and unasked(view))


def unasked(view: View) -> bool:
    """Whether training is in bfloat16 because nothing says otherwise."""
    return view.system.facts.half_by_default and view.given("bf16") is None and not view.on("fp16")


def zero3(view: View, run: Run) -> bool:
    """Whether DeepSpeed's JSON, or its name, says ZeRO-3."""
    engine = run.view("deepspeed")
    if engine and engine.given("zero_optimization.stage"):
        return engine.number("zero_optimization.stage") == 3
    name = view.text("deepspeed")
    return "zero3" in name or "zero_3" in name or "z3" in name


def attention(view: View, key: str) -> Cell:
    """The attention that a key names; what chooses by itself, or names none of Transformers' own, is unknown."""
    given = view.given(key)
    name = {"disabled": "eager", "fa2": "flash_attention_2", "auto": "unknown"}.get(view.text(key), view.text(key))
    return Cell(value=name, by=given) if given and name not in ("", "unknown") else UNKNOWN


def effective(view: View, run: Run) -> Iterator[Component]:
    """The model as the Trainer runs it, or an adapter and the frozen base."""
    kernel, allowed = attention(view, "attn_implementation"), allowed_by(view, "tf32")
    weights = _loaded(view, run)
    if not view.on("use_peft") and not adapted(run):
        yield prepared(run, weights, mixed(view, run)).component("model", attention=kernel, tf32=allowed)
        return
    raised = Cell(value="float32", why="peft raises half adapters (autocast_adapter_dtype)")
    held = prepared(run, raised, mixed(view, run))
    yield held.component("adapter", attention=kernel, tf32=allowed)
    if held.plain:
        yield frozen("base model", weights=weights, autocast=held.autocast, attention=kernel, tf32=allowed)


def _loaded(view: View, run: Run) -> Cell:
    """The dtype that the weights are loaded in: a setting's, else what the code says that loads the one model."""
    if quantized := switched(view, {"load_in_4bit": "4-bit", "load_in_8bit": "int8"}):
        return quantized
    given = view.given("torch_dtype") or loaded(run)
    if given and str(given.value).lower() not in ("auto", "none") and not isinstance(given.value, Unknown):
        return Cell(value=dtype(given.value), by=given)
    return Cell(value="unknown", by=given, why="the dtype of the checkpoint (transformers 5; float32 before)")


SYSTEM = System(
    name="transformers",
    title="Transformers Trainer",
    version="5.23.0",
    source="transformers/training_args.py, as installed",
    keys=KEYS,
    others=_OTHERS,
    marks=(
        ("output_dir", "per_device_train_batch_size"),
        ("output_dir", "num_train_epochs"),
        ("model_name_or_path", "per_device_train_batch_size"),
        ("output_dir", "bf16", "learning_rate"),
        ("output_dir", "fp16", "learning_rate"),
        ("output_dir", "bf16", "max_steps"),
        ("output_dir", "fp16", "max_steps"),
        ("output_dir", "fp16", "bf16"),
        ("output_dir", "fp16", "deepspeed"),
        ("output_dir", "bf16", "deepspeed"),
        ("output_dir", "tf32"),
        ("fp16", "bf16", "learning_rate"),
        ("fp16", "per_device_train_batch_size"),
        ("bf16", "per_device_train_batch_size"),
        ("deepspeed", "bf16"),
        ("deepspeed", "fp16"),
    ),
    unless=(
        "finetuning_type",
        "base_model",
        "tune_vision",
        "tune_llm",
        "llm_type",
        "stage",
        "deepspeed_config",
        "experiment_name",
        "zero_stage",
        "model_parallel_size",
        "from_pretrained",
        "data_backend_config",
        "--data_backend_config",
        "model_family",
        "base_model_precision",
        "train_dtype",
        "with_tracking",
        "checkpointing_steps",
    ),
    programs=("TrainingArguments", "Seq2SeqTrainingArguments"),
    effective=effective,
    unknown_key="ValueError: Some specified arguments are not used by the HfArgumentParser",
    facts=Facts(fills_auto=True, halves=halves),
)
