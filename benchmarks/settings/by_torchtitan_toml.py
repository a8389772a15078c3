"""torchtitan until 0.2: a TOML file, with options behind `torchrun -m torchtitan.train`."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from combination import Combination

TITLE, PACKAGES = "torchtitan, by TOML", ("torchtitan", "torchao", "torch")
PROGRAM = """\
import probe
import torchtitan.distributed.utils
from torchtitan.models.llama3 import llama3_args
from torchtitan.train import Trainer, main

llama3_args["debugmodel"].n_layers = 2

# it asks for the class of a group that torch for the CPU does not have
torchtitan.distributed.utils.set_pg_timeouts = lambda *_, **__: None
probe.follow()
main(Trainer)
probe.tell()
"""
TOML = """\
[job]
dump_folder = "out"

[model]
name = "llama3"
flavor = "debugmodel"
hf_assets_path = "words"
converters = [{converters}]

[optimizer]
name = "{optimizer}"
lr = 8e-4

[training]
local_batch_size = 2
seq_len = 64
steps = 2
dataset = "c4_test"
dataset_path = "texts"
{training}
[parallelism]
{parallelism}
[activation_checkpoint]
mode = "{checkpointing}"
"""
GRID = tuple(itertools.product(("float32", "bfloat16"), repeat=2))
"""What the weights are, what is computed in."""
SHARD, REPLICATE, TENSOR = (
    f"{name}_degree" for name in ("data_parallel_shard", "data_parallel_replicate", "tensor_parallel")
)
WAYS = {
    "1 GPU": (1, {}),
    "FSDP": (2, {}),
    "DDP": (2, {REPLICATE: 2, SHARD: 1}),
    "HSDP": (4, {REPLICATE: 2, SHARD: 2}),
    "TP": (2, {TENSOR: 2}),
    "FSDP and TP": (4, {TENSOR: 2}),
}
Settings = dict[str, object]


def _lines(settings: Settings) -> str:
    return "".join(f'{key} = "{value}"\n' if isinstance(value, str) else f"{key} = {value}\n"
                   for key, value in settings.items())  # fmt: skip


def combination(  # noqa: PLR0913 - what a run consists of
    name: str, training: Settings, way: str = "1 GPU", *, machine: str = "a100", options: str = "", more: str = "",
    **words: str,
) -> Combination:  # fmt: skip
    """One TOML, and options."""
    ranks, degrees = WAYS[way]
    given = {"converters": "", "optimizer": "AdamW", "checkpointing": "none"} | words
    toml = TOML.format(training=_lines(training), parallelism=_lines(degrees), **given) + more
    own = ("--job.config_file", "train.toml", *options.split())
    return Combination(
        family="by_torchtitan_toml", name=f"{name}, {way}", files={"train.toml": toml}, needs=("words", "texts"),
        machine=f"{ranks}x{machine}" if ranks > 1 else machine, harness={"run.py": PROGRAM},
        command=("torchrun", f"--nproc_per_node={ranks}", "run.py", *own),
        typed=f"torchrun --nproc_per_node={ranks} -m torchtitan.train {' '.join(own)}",
    )  # fmt: skip


def grid() -> Iterator[Combination]:
    """Weights × compute × how they are spread; machines; float8; what is refused."""
    for (dtype, param), way in itertools.product(GRID, WAYS):
        yield combination(f"{dtype}, {param}", {"dtype": dtype, "mixed_precision_param": param}, way)
    for dtype, param in GRID:
        both: Settings = {"dtype": dtype, "mixed_precision_param": param}
        yield combination(f"{dtype}, {param}, accumulation", both | {"global_batch_size": 4})
        yield combination(f"{dtype}, {param}, checkpointing", both, checkpointing="selective")
        yield combination(f"{dtype}, {param}, Adam", both, optimizer="Adam")
        options = f"--training.dtype {dtype} --training.mixed_precision_param {param}"
        yield combination(f"{dtype}, {param} as options", {"dtype": "float32"}, options=options)
        for machine in ("v100", "h100"):
            yield combination(f"{dtype}, {param}, {machine}", both, machine=machine)
    for way in WAYS:
        yield combination("nothing said", {}, way)
    yield combination("nothing said, cpu", {}, machine="cpu")
    yield combination("float8", {}, converters='"float8"')
    emulated = "[quantize.linear.float8]\nemulate = true\n"
    yield combination("float8 emulated", {}, converters='"float8"', more=emulated)
    for key, value in itertools.product(
        ("dtype", "mixed_precision_param", "mixed_precision_reduce"), ("float16", "bfloat16", "float64")
    ):
        if (key, value) not in {("dtype", "bfloat16"), ("mixed_precision_param", "bfloat16")}:
            yield combination(f"{key} {value}", {key: value})
            yield combination(f"{key} {value}", {key: value}, "FSDP")
            yield combination(f"{key} {value} as an option", {}, options=f"--training.{key} {value}")
