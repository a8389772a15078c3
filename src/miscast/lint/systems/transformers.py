"""Transformers' `TrainingArguments`: arguments of a script, a YAML or JSON file for HfArgumentParser, or a call."""

from __future__ import annotations

from collections.abc import Iterator

from ...core.frozen import replace
from ..calls import adapted, loaded
from ..checkpoint import checkpoint
from ..conflict import Conflict, When, both
from ..deciding import allowed_by, switched
from ..facts import Facts, Halves
from ..messages import FLASH_ATTENTION, KEEP_ONE_HALF, SCALER, UNSCALE
from ..parts import stepped
from ..prepared import prepared
from ..run import Run
from ..setting import Unknown, named_dtype
from ..sharding import flattened, has_engine, sharded
from ..system import Number, Switch, System, Text
from ..table import UNKNOWN, Cell, Component, dtype, frozen
from ..view import View
from . import accelerate

_SOURCE = "transformers/training_args.py"
NO_BF16_GPU = (
    "ValueError: Your setup doesn't support bf16/gpu. You need to assign use_cpu if you want to train the model on CPU."
)

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
    Text(name="deepspeed", means="DeepSpeed's JSON; these arguments fill in its auto values", source=_SOURCE),
    Text(name="fsdp", source=_SOURCE),
    Number(name="fsdp_version", default=2, aliases=("fsdp_config.version", "fsdp_config.fsdp_version"),
           source=f"{_SOURCE} _process_fsdp_args: 1 until 5.0"),
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
    """Return the dtype of autocast: by a flag, the system's default, else the launcher's (line 1614)."""
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
    """Return the `fp16` and `bf16` that the Trainer gets, for training or evaluation; None if unknown."""
    return {flag: _half(view, flag) for flag in ("fp16", "bf16")}


def _half(view: View, flag: str) -> bool | None:
    value, full = view.get(flag), f"{flag}_full_eval"
    if value not in (True, False, None):
        return None
    evaluated = full in view.system.by_name and view.on(full)
    return value is True or evaluated or (flag == "bf16" and unasked(view))


def unasked(view: View) -> bool:
    """Check whether training is in bfloat16 by default."""
    return view.system.facts.half_by_default and view.given("bf16") is None and not view.on("fp16")


def zero3(view: View, run: Run) -> bool:
    """Check whether DeepSpeed's JSON, or its name, selects ZeRO-3."""
    engine = run.view("deepspeed")
    if engine and engine.given("zero_optimization.stage"):
        return engine.number("zero_optimization.stage") == 3
    name = view.text("deepspeed")
    return "zero3" in name or "zero_3" in name or "z3" in name


def attention(view: View, key: str) -> Cell:
    """Return the attention that a key names; automatic choices are unknown."""
    given = view.given(key)
    name = {"disabled": "eager", "fa2": "flash_attention_2", "auto": "unknown"}.get(view.text(key), view.text(key))
    return Cell(value=name, by=given) if given and name not in ("", "unknown") else UNKNOWN


def effective(view: View, run: Run) -> Iterator[Component]:
    """Yield the model as the Trainer runs it, or an adapter and the frozen base."""
    kernel, allowed = attention(view, "attn_implementation"), allowed_by(view, "tf32")
    weights = _loaded(view, run)
    if not view.on("use_peft") and not adapted(run):
        held = stepped(view, "optim", prepared(run, weights, mixed(view, run)))
        yield held.component("model", attention=kernel, tf32=allowed)
        return
    raised = Cell(value="float32", why="peft raises half-precision adapters (autocast_adapter_dtype)")
    held = stepped(view, "optim", prepared(run, raised, mixed(view, run)))
    yield held.component("adapter", attention=kernel, tf32=allowed)
    if held.plain:
        yield frozen("base model", weights=weights, autocast=held.autocast, attention=kernel, tf32=allowed)


def _loaded(view: View, run: Run) -> Cell:
    """Return the dtype that the weights are loaded in: by a setting, else by the call that loads the model."""
    if quantized := switched(view, {"load_in_4bit": "4-bit", "load_in_8bit": "int8"}):
        return quantized
    given = view.given("torch_dtype") or loaded(run)
    if given and str(given.value).lower() not in ("auto", "none") and not isinstance(given.value, Unknown):
        return Cell(value=dtype(given.value), by=given)
    why = "the dtype of the checkpoint (transformers 5; float32 before)"
    return checkpoint(view, "model_name_or_path", by=given, why=why)


SYSTEM = System(
    name="transformers", title="Transformers Trainer", version="5.23.0",
    source="transformers/training_args.py, as installed", keys=KEYS, others=_OTHERS,
    marks=(("output_dir", "per_device_train_batch_size"), ("output_dir", "num_train_epochs"),
           ("model_name_or_path", "per_device_train_batch_size"), ("output_dir", "bf16", "learning_rate"),
           ("output_dir", "fp16", "learning_rate"), ("output_dir", "bf16", "max_steps"),
           ("output_dir", "fp16", "max_steps"), ("output_dir", "fp16", "bf16"), ("output_dir", "fp16", "deepspeed"),
           ("output_dir", "bf16", "deepspeed"), ("output_dir", "tf32"), ("fp16", "bf16", "learning_rate"),
           ("fp16", "per_device_train_batch_size"), ("bf16", "per_device_train_batch_size"), ("deepspeed", "bf16"),
           ("deepspeed", "fp16")),
    unless=("finetuning_type", "base_model", "tune_vision", "tune_llm", "llm_type", "stage", "deepspeed_config",
            "experiment_name", "zero_stage", "model_parallel_size", "from_pretrained", "data_backend_config",
            "--data_backend_config", "model_family", "base_model_precision", "train_dtype", "with_tracking",
            "checkpointing_steps"),
    programs=("TrainingArguments", "Seq2SeqTrainingArguments"), effective=effective,
    unknown_key="ValueError: Some specified arguments are not used by the HfArgumentParser",
    facts=Facts(fills_auto=True, halves=halves),
)

def _float32_flash(view: View, _: Run) -> bool:
    full = named_dtype(view.get("torch_dtype")) == "float32"
    return "flash" in view.text("attn_implementation") and full and view.off("bf16") and view.off("fp16")


def _scaled(half: str) -> When:
    def when(view: View, run: Run) -> bool:
        """Check whether the whole model is trained in the half dtype: an engine or FSDP keeps float32 weights."""
        raised = has_engine(run, view) or sharded(run) is not None
        whole = view.off("use_peft") and not view.on("load_in_4bit") and not view.on("load_in_8bit") and not raised
        return view.on("fp16") and whole and named_dtype(view.get("torch_dtype")) == half

    return when


LOADED = (
    Conflict(
        rule="attention-needs-half", keys=("attn_implementation", "torch_dtype"), when=_float32_flash,
        says="flash attention with float32 weights, without autocast", effect=FLASH_ATTENTION,
        help="set torch_dtype: bfloat16 or bf16: true, or attn_implementation: sdpa",
        source="flash_attn/flash_attn_interface.py; transformers/modeling_utils.py, 5.23.0",
    ),
    *(
        Conflict(
            rule="half-parameters-under-grad-scaler", keys=("torch_dtype", "fp16"), when=_scaled(half),
            says=f"the weights are {half}, and fp16 uses a grad scaler", effect=effect,
            help="load the weights in float32: fp16 computes in float16 anyway", source=SCALER,
        )
        for half, effect in UNSCALE.items()
    ),
)
"""Contradictions of the options that load a model; TRL has the same options."""

CONFLICTS = (
    *LOADED,
    Conflict(
        rule="bf16-on-cpu", keys=("bf16", "bf16_full_eval", "use_cpu"), inherited=True,
        when=lambda s, run: (
            run.on_device("cpu") and s.off("use_cpu") and (s.on("bf16") or s.on("bf16_full_eval") or unasked(s))
        ),
        says="bf16 on a machine without a GPU, without use_cpu", effect=NO_BF16_GPU, help="set use_cpu: true",
        source=f"{_SOURCE}, 5.23.0",
    ),
    *(
        Conflict(
            rule="both-half-dtypes", keys=(f"fp16{of}", f"bf16{of}"), inherited=True,
            when=both(f"fp16{of}", f"bf16{of}"), says=f"fp16{of} and bf16{of} are both on",
            effect=f"ValueError: At most one of fp16 and bf16 can be True{during}, but not both", help=KEEP_ONE_HALF,
            source=f"{_SOURCE} _validate_args, 5.23.0",
        )
        for of, during in (("", ""), ("_full_eval", " for full eval"))
    ),
    replace(
        accelerate.FLOAT16_ON_CPU, inherited=True, keys=("fp16", "use_cpu"),
        when=lambda s, run: s.on("fp16") and (run.on_device("cpu") or s.on("use_cpu")), says="fp16 is on, on a CPU",
        help="use bf16 with use_cpu, or a GPU",
        source=f"{accelerate.FLOAT16_ON_CPU.source}; transformers/trainer.py passes fp16 on, 5.23.0",
    ),
    replace(
        accelerate.FLOAT16_ON_TPU, inherited=True, keys=("fp16",),
        when=lambda s, run: s.on("fp16") and run.on_device("xla"), says="fp16 is on, on a TPU", help="use bf16: true",
        source=f"{accelerate.FLOAT16_ON_TPU.source}; transformers/trainer.py passes fp16 on, 5.23.0",
    ),
    Conflict(
        rule="fused-adam-under-fsdp-scaler", keys=("optim", "fp16"), inherited=True,
        when=lambda s, run: s.at("optim", "adamw_torch_fused") and s.on("fp16") and flattened(run) is not None,
        says="fp16 under FSDP1, and the optimizer is {0}",
        effect="RuntimeError: output with shape [] doesn't match the broadcast shape [1]",
        help="set optim: adamw_torch, or use bf16 instead of fp16, or FSDP2",
        source="torch/distributed/fsdp/sharded_grad_scaler.py unscale_, torch/optim/adam.py _fused_adam, 2.13.0; "
        "pytorch issue 140514",
    ),
    Conflict(
        rule="setting-has-no-effect", severity="warning", keys=("half_precision_backend",),
        when=lambda s, _: s.at("half_precision_backend", "apex"), says="half_precision_backend apex has been removed",
        effect="TypeError: TrainingArguments.__init__() got an unexpected keyword argument 'half_precision_backend' "
        "(transformers 5)",
        help="drop it: torch's autocast is the only backend", source=f"{_SOURCE}, 5.23.0",
    ),
)
