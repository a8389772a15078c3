"""accelerate: its YAML or JSON, `accelerate launch`'s options, and `Accelerator(…)` in code."""

from __future__ import annotations

from collections.abc import Iterator

from ..calls import adapted, loaded
from ..facts import Facts
from ..prepared import prepared
from ..run import Run
from ..setting import named_dtype
from ..system import Key, Number, Switch, System, Text
from ..table import UNKNOWN, Cell, Component, dtype
from ..view import View

_YAML = "accelerate/commands/config/config_args.py"
_UNKNOWN = "ValueError: Unknown mixed_precision mode: {value}. Choose between ['no', 'fp8', 'fp16', 'bf16']."

SYSTEM_KEYS = (
    Key(
        name="mixed_precision",
        allowed=("no", "fp16", "bf16", "fp8"),
        default="no",
        means="the dtype of autocast; fp16 with a grad scaler",
        rejects=_UNKNOWN,
        source="accelerate/utils/launch.py, PrecisionType; accelerator.py",
        caseless=("file", "environment", "call"),
    ),
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
    """The precision that reaches the script: a call's, an option's, the environment's, the file's."""
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
    """The model that a script prepares, in the dtype that it is loaded in where the script says that."""
    given = None if adapted(run) else loaded(run)
    known = given is not None and named_dtype(given.value)
    weights = Cell(value=known, by=given) if known else UNKNOWN
    yield prepared(run, weights, mixed(view, run)).component("model")


SYSTEM = System(
    name="accelerate",
    title="accelerate",
    version="1.15.0",
    source=f"{_YAML}, utils/launch.py, state.py",
    role="launcher",
    keys=SYSTEM_KEYS,
    others=_OTHERS,
    marks=(
        ("compute_environment",),
        ("distributed_type", "mixed_precision"),
        ("distributed_type", "num_processes"),
        ("num_machines", "num_processes"),
        ("mixed_precision", "num_processes"),
        ("mixed_precision", "use_cpu"),
        ("mixed_precision", "deepspeed_config."),
        ("distributed_type", "deepspeed_config."),
        ("distributed_type", "fsdp_config."),
        ("mixed_precision", "fsdp_config."),
        ("mixed_precision", "main_training_function"),
        ("mixed_precision", "downcast_bf16"),
    ),
    unless=("pretrained_model_name_or_path", "base_model", "model_type", "output_dir"),
    programs=("accelerate launch", "Accelerator", "_reset_state"),
    modules=("accelerate",),
    effective=effective,
    unknown_key="ValueError: The config file had unknown keys, please try upgrading your `accelerate` version",
    facts=Facts(fills_auto=True),
)
