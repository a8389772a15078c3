"""accelerate: its YAML or JSON, `accelerate launch`'s options, and `Accelerator(…)` in code."""

from __future__ import annotations

from collections.abc import Iterator

from ...core.frozen import replace
from ..calls import adapted, loaded
from ..conflict import Check, Conflict, When
from ..contradiction import Contradiction
from ..deciding import on
from ..facts import Facts
from ..messages import NO_FP8_BACKEND, UNIFORM
from ..prepared import prepared
from ..run import FLOAT8, Run
from ..setting import named_dtype
from ..sharding import flattened
from ..system import Key, Number, Setting, Switch, System, Text
from ..table import UNKNOWN, Cell, Component, dtype
from ..view import View

_YAML = "accelerate/commands/config/config_args.py"
_INIT = "accelerate/accelerator.py Accelerator.__init__"
_UNKNOWN = "ValueError: Unknown mixed_precision mode: {value}. Choose between ['no', 'fp8', 'fp16', 'bf16']."

SYSTEM_KEYS = (
    Key(name="mixed_precision", allowed=("no", "fp16", "bf16", "fp8"), default="no",
        means="the dtype of autocast; fp16 with a grad scaler", rejects=_UNKNOWN,
        source="accelerate/utils/launch.py, PrecisionType; accelerator.py", caseless=("file", "environment", "call")),
    Switch(name="fp16", default=None, means="the old spelling of mixed_precision: fp16", source=_YAML),
    Text(name="distributed_type", default="NO", source=_YAML),
    Switch(name="use_cpu", aliases=("cpu",), source=_YAML),
    Text(name="downcast_bf16", default="no", source=_YAML),
    Number(name="num_processes", source=_YAML),
    Switch(name="use_deepspeed", source="accelerate/commands/launch.py"),
    Switch(name="use_fsdp", source="accelerate/commands/launch.py"),
    Text(name="deepspeed_config.deepspeed_config_file", aliases=("deepspeed_config_file",), source=_YAML),
    Number(name="deepspeed_config.zero_stage", default=2, aliases=("zero_stage",), source=_YAML),
    *(
        Switch(name=f"deepspeed_config.{half}.enabled", aliases=(f"deepspeed_config.{half}",), source=_YAML)
        for half in ("bf16", "fp16")
    ),
    Number(name="fsdp_config.fsdp_version", default=1, aliases=("fsdp_version",), source=_YAML),
    Switch(name="fsdp_config.fsdp_use_orig_params", default=True, aliases=("fsdp_use_orig_params",), source=_YAML),
    Text(name="fp8_config.backend", aliases=("fp8_backend",), source="accelerate/commands/launch.py"),
    Number(name="gradient_accumulation_steps", aliases=("deepspeed_config.gradient_accumulation_steps",), source=_YAML),
)
_OTHERS = frozenset(
    "compute_environment debug num_machines machine_rank main_process_ip main_process_port main_training_function "
    "rdzv_backend same_network gpu_ids enable_cpu_affinity fp8_config deepspeed_config fsdp_config "
    "parallelism_config megatron_lm_config mpirun_config tpu_name tpu_zone tpu_use_cluster tpu_use_sudo tpu_env "
    "tpu_vm command_file commands dynamo_config dynamo_backend use_mps_device deepspeed_multinode_launcher multi_gpu "
    "num_cpu_threads_per_process config_file".split()
)


def mixed(view: View, run: Run) -> Cell:
    """Return the precision that reaches the script: a call's, an option's, the environment's, the file's."""
    environment = run.view("environment")
    variable = environment.given("ACCELERATE_MIXED_PRECISION") if environment else None
    setting = view.given("mixed_precision")
    if setting is None or (setting.document.origin == "file" and variable is not None):
        setting = variable or setting
    if setting is not None:
        return Cell(value=dtype(str(setting.value)), by=setting)
    if view.on("fp16"):
        return Cell(value="float16", by=view.given("fp16"), why="the old spelling of mixed_precision: fp16")
    return UNKNOWN if view.open else Cell(value="off", why="default of accelerate 1.15.0")


def effective(view: View, run: Run) -> Iterator[Component]:
    """Yield the model that a script prepares, in the dtype that the script loads it in, if known."""
    given = None if adapted(run) else loaded(run)
    known = given is not None and named_dtype(given.value)
    weights = Cell(value=known, by=given) if known else UNKNOWN
    yield prepared(run, weights, mixed(view, run)).component("model")


SYSTEM = System(
    name="accelerate", title="accelerate", version="1.15.0", role="launcher",
    source=f"{_YAML}, utils/launch.py, state.py", keys=SYSTEM_KEYS, others=_OTHERS,
    marks=(("compute_environment",), ("distributed_type", "mixed_precision"), ("distributed_type", "num_processes"),
           ("num_machines", "num_processes"), ("mixed_precision", "num_processes"), ("mixed_precision", "use_cpu"),
           ("mixed_precision", "deepspeed_config."), ("distributed_type", "deepspeed_config."),
           ("distributed_type", "fsdp_config."), ("mixed_precision", "fsdp_config."),
           ("mixed_precision", "main_training_function"), ("mixed_precision", "downcast_bf16")),
    unless=("pretrained_model_name_or_path", "base_model", "model_type", "output_dir"),
    programs=("accelerate launch", "Accelerator", "_reset_state"), modules=("accelerate",), effective=effective,
    unknown_key="ValueError: The config file had unknown keys, please try upgrading your `accelerate` version",
    facts=Facts(fills_auto=True),
)


def _engine_asks(half: str, *, trained: bool) -> When:
    """Check for a section of DeepSpeed's JSON in accelerate's YAML, whose own options name another precision.

    `trained`: whether a trainer asks for the section's precision itself.
    """
    key = f"deepspeed_config.{half}.enabled"
    return lambda view, run: view.on(key) and not view.at("mixed_precision", half) and _trains_in(half, run) is trained


def _trains_in(half: str, run: Run) -> bool:
    asked = (v.system.facts.halves(v) for v in run.trainers if v.system.facts.halves)
    return any(halves.get(half) is True for halves in asked)


FLOAT16_ON_CPU = Conflict(
    rule="float16-on-cpu", severity="warning", keys=("mixed_precision",),
    when=lambda s, run: s.at("mixed_precision", "fp16") and run.on_device("cpu"),
    says="mixed_precision is fp16 on a CPU",
    effect="silent: no autocast, float32 throughout; accelerate before 1.1: ValueError: fp16 mixed precision requires "
    "a GPU (not 'cpu').",
    help="use bf16, or a GPU", source=f"{_INIT}, 1.15.0",
)
FLOAT16_ON_TPU = Conflict(
    rule="float16-on-tpu", keys=("mixed_precision",),
    when=lambda s, run: s.at("mixed_precision", "fp16") and run.on_device("xla"),
    says="mixed_precision is fp16 on a TPU",
    effect="ValueError: fp16 mixed precision requires a device in ('xpu', 'cuda', 'npu', 'xla', 'mlu', 'musa', 'hpu', "
    "'sdaa', 'mps') (not 'xla').",
    help="use bf16", source=f"{_INIT}, 1.15.0: is_torch_xla_available(check_is_tpu=True)",
)
"""Contradictions of every program that passes its `mixed_precision` to `Accelerator(…)`."""


def _without_backend(view: View, run: Run) -> Iterator[Contradiction]:
    """Yield fp8 without a backend; a plugin of DeepSpeed's may bring MS-AMP."""
    setting = view.given("mixed_precision")
    places = ("fp8_config.", "kwargs_handlers", "deepspeed_plugin")
    if setting is None or setting.value != "fp8" or run.lacks(*FLOAT8):
        return
    if view.given("fp8_config.backend") is None and not any(map(view.below, places)):
        yield Contradiction(
            says="mixed_precision is fp8 without a backend (fp8_config.backend)", settings=(setting,),
            effect=f"{NO_FP8_BACKEND} If one of them is installed, accelerate uses it.", severity="warning",
            help="set fp8_config.backend: TE, AO or MSAMP",
        )


def _second(view: View, run: Run) -> Iterator[Contradiction]:
    """Yield calls of Accelerator with another precision than the first; `_reset_state` starts over."""
    if any(document.name.endswith("_reset_state") for document in view.documents):
        return
    named = [*_named(view)]
    for setting in named[1:]:
        first = named[0]
        if setting.value != first.value and setting.document.file == first.document.file:
            yield Contradiction(
                says=f"a second Accelerator asks for {setting.value}, the first has {first.value}",
                settings=(setting, first),
                effect="ValueError: AcceleratorState has already been initialized and cannot be changed, restart your "
                f"runtime completely and pass `mixed_precision='{setting.value}'` to `Accelerator()`.",
                help="pass the precision once, or create the second Accelerator without one",
            )


def _named(view: View) -> Iterator[Setting]:
    """Yield the precision of each call that has one."""
    for document in view.documents:
        setting = View(view.system, (document,)).given("mixed_precision")
        if setting and document.origin == "call" and isinstance(setting.value, str):
            yield setting


def _two_dtypes(view: View, run: Run) -> Iterator[Contradiction]:
    """Yield adapters in float32 on a half-precision base, in one flat parameter of FSDP1."""
    fsdp, whole = flattened(run), view.given("fsdp_config.fsdp_use_orig_params")
    if fsdp is None or whole is None or whole.value is not False:
        return
    for trainer in run.trainers:
        adapter, dtype = on(trainer, "use_peft"), trainer.given("torch_dtype")
        half = dtype is not None and named_dtype(dtype.value) in ("float16", "bfloat16")
        if adapter and half and not on(trainer, "load_in_4bit"):
            yield Contradiction(
                says="LoRA on a half-precision base under FSDP1 without use_orig_params",
                settings=(whole, fsdp, adapter, dtype), severity="warning",
                effect="peft raises half-precision adapters to float32 (autocast_adapter_dtype); then "
                + UNIFORM.format("bfloat16", "float32"),
                help="set fsdp_use_orig_params: true or fsdp_version: 2, or autocast_adapter_dtype=False",
            )


CONFLICTS = (
    replace(
        FLOAT16_ON_CPU, keys=("mixed_precision", "use_cpu"),
        when=lambda s, run: s.at("mixed_precision", "fp16") and (run.on_device("cpu") or s.on("use_cpu")),
    ),
    FLOAT16_ON_TPU,
    Check(rule="fp8-not-available", search=_without_backend, source="accelerate/state.py, 1.15.0"),
    Check(rule="second-accelerator", search=_second, source="accelerate/state.py, 1.15.0"),
    Check(
        rule="sharded-unit-of-two-dtypes", search=_two_dtypes,
        source="torch/distributed/fsdp/_flat_param.py, 2.13.0; peft/mapping_func.py, 0.21.2",
    ),
    *(
        Conflict(
            rule="setting-has-no-effect", severity="warning",
            keys=(f"deepspeed_config.{half}.enabled", "mixed_precision"), when=_engine_asks(half, trained=False),
            says=f"accelerate has no option deepspeed_config.{half}",
            effect="silent: accelerate builds DeepSpeed's configuration from its own options, and takes the dtype "
            "from mixed_precision, here {1}",
            help=f"set mixed_precision: {half}, or name a JSON in deepspeed_config_file",
            source="accelerate/commands/launch.py _validate_launch_command, DeepSpeedPlugin, 1.15.0",
        )
        for half in ("bf16", "fp16")
    ),
    *(
        Conflict(
            rule="setting-has-no-effect", severity="hint", keys=(f"deepspeed_config.{half}.enabled",),
            when=_engine_asks(half, trained=True), says=f"accelerate has no option deepspeed_config.{half}",
            effect=f"silent: the trainer's own {half} decides, with the same result",
            help=f"set mixed_precision: {half} for programs without a trainer, or drop the section",
            source="accelerate/commands/launch.py _validate_launch_command, 1.15.0; DeepSpeed#8072",
        )
        for half in ("bf16", "fp16")
    ),
)
