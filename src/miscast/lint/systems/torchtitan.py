"""torchtitan: TOML with `[training]` and `[parallelism]` (until 0.2), or options of the same names."""

from __future__ import annotations

from collections.abc import Iterator

from ..run import Run
from ..system import Key, System
from ..table import Cell, Component, dtype, trained
from ..view import View

_CONFIG = "torchtitan/config/configs.py"
_REJECTS = "tyro: {value!r} is none of 'bfloat16', 'float32'"

KEYS = (
    Key(name="training.dtype", allowed=("bfloat16", "float32"), default="float32", rejects=_REJECTS, source=_CONFIG,
        means="weights, gradients and optimizer states"),
    Key(name="training.mixed_precision_param", allowed=("bfloat16", "float32"), default="bfloat16", rejects=_REJECTS,
        source=_CONFIG, means="FSDP2's param_dtype, or autocast's"),
    Key(name="training.mixed_precision_reduce", allowed=("float32",), default="float32", source=_CONFIG,
        rejects="tyro: {value!r} is not 'float32'", means="FSDP2's reduce_dtype"),
    Key(name="parallelism.data_parallel_shard_degree", kind="number", default=-1, source=_CONFIG),
    Key(name="parallelism.data_parallel_replicate_degree", kind="number", default=1, source=_CONFIG),
    Key(name="parallelism.tensor_parallel_degree", kind="number", default=1, source=_CONFIG),
    Key(name="parallelism.pipeline_parallel_degree", kind="number", default=1, source=_CONFIG),
    Key(name="parallelism.context_parallel_degree", kind="number", default=1, source=_CONFIG),
    Key(name="optimizer.lr", kind="number", default=8e-4, source="torchtitan/components/optimizer.py"),
    Key(name="optimizer.name", kind="text", default="AdamW", source="torchtitan/components/optimizer.py"),
    Key(name="model.name", kind="text", source="torchtitan/config"),
    Key(name="model.flavor", kind="text", source="torchtitan/config"),
    Key(name="activation_checkpoint.mode", kind="text", default="selective", source=_CONFIG),
    Key(name="model.converters.0", kind="text", source="torchtitan/components/quantization"),
    Key(name="quantize.linear.float8.emulate", kind="bool", default=False, aliases=("float8.emulate",),
        source="torchtitan/components/quantization/float8.py"),
)  # fmt: skip
_OTHERS = frozenset(
    "training.local_batch_size training.batch_size training.seq_len training.steps training.max_norm training.dataset "
    "training.compile job.dump_folder job.description metrics.log_freq checkpoint.folder lr_scheduler.warmup_steps "
    "profiling.enable_profiling model.tokenizer_path model.hf_assets_path float8.enable_fsdp_float8_all_gather".split()
)


def effective(view: View, run: Run) -> Iterator[Component]:
    """The model under FSDP2's policy."""
    setting, param = view.given("training.dtype"), view.given("training.mixed_precision_param")
    reduce = view.given("training.mixed_precision_reduce")
    why = "default of torchtitan"
    yield trained(
        "model",
        weights=Cell(value=dtype(view.get("training.dtype")), by=setting, why="" if setting else why),
        autocast=Cell(value=dtype(view.get("training.mixed_precision_param")), by=param, why="" if param else why),
        reduction=Cell(value=dtype(view.get("training.mixed_precision_reduce")), by=reduce,
                       why="" if reduce else why),
        scaling=Cell(value="off", why="bfloat16 needs none"),
    )  # fmt: skip


SYSTEM = System(
    name="torchtitan",
    title="torchtitan",
    version="0.3.0",
    source=_CONFIG,
    keys=KEYS,
    others=_OTHERS,
    marks=(("training.seq_len",), ("training.mixed_precision_param",), ("job.dump_folder",), ("model.flavor",),
           ("training.dtype", "training.steps")),
    programs=("torchtitan", "torchtitan/train.py", "run_train.sh"),
    effective=effective,
)  # fmt: skip
