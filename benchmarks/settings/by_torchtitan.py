"""torchtitan since 0.3: a configuration in Python, with options behind `torchrun -m torchtitan.train`."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from combination import Combination

TITLE, PACKAGES = "torchtitan", ("torchtitan", "torch")
PROGRAM = """\
import probe
import torchtitan.distributed.utils
from torchtitan.train import main

# torch 2.13 cannot change the timeout of a group that is there
torchtitan.distributed.utils.set_pg_timeouts = lambda *_, **__: None
probe.follow()
main()
probe.tell()
"""
CODE = """\
from torchtitan.config import ParallelismConfig, TrainingConfig
from torchtitan.distributed.activation_checkpoint import SelectiveAC
from torchtitan.models.llama3.config_registry import llama3_debugmodel
from torchtitan.trainer import Trainer


def tiny() -> Trainer.Config:
    config = llama3_debugmodel()
    del config.model_spec.model.layers[2:]
    config.hf_assets_path = "words"
    config.dataloader.dataset_path = "texts"
    config.training = TrainingConfig(local_batch_size=2, seq_len=64, steps=2{training})
    config.parallelism = ParallelismConfig({parallelism})
    config.activation_checkpoint = {checkpointing}
    return config
"""
GRID = tuple(itertools.product(("float32", "bfloat16"), repeat=2))
"""What the weights are, what is computed in."""
WAYS = {
    "1 GPU": (1, {}),
    "FSDP": (2, {}),
    "replicated": (2, {"data_parallel_replicate_degree": 2, "data_parallel_shard_degree": 1}),
    "HSDP": (4, {"data_parallel_replicate_degree": 2, "data_parallel_shard_degree": 2}),
}
Settings = dict[str, object]


def combination(  # noqa: PLR0913 - what a run consists of
    name: str, training: Settings, way: str = "1 GPU", *, machine: str = "a100", coded: Settings | None = None,
    checkpointing: str = "None",
) -> Combination:  # fmt: skip
    """One configuration: what is coded in Python, and the options."""
    ranks, degrees = WAYS[way]
    # the way of 0.3 by default needs a torch later than 2.13
    parallelism = ({"spmd_backend": "partial_dtensor"} if ranks > 1 else {}) | degrees
    code = CODE.format(
        checkpointing=checkpointing,
        training="".join(f", {key}={value!r}" for key, value in (coded or {}).items()),
        parallelism=", ".join(f"{key}={value!r}" for key, value in parallelism.items()),
    )
    options = " ".join(("--module mine --config tiny", *(f"--training.{k} {v}" for k, v in training.items())))
    return Combination(
        family="by_torchtitan", name=f"{name}, {way}", files={"mine.py": code}, needs=("words", "texts"),
        machine=f"{ranks}x{machine}" if ranks > 1 else machine, harness={"run.py": PROGRAM},
        command=("torchrun", f"--nproc_per_node={ranks}", "run.py", *options.split()),
        typed=f"torchrun --nproc_per_node={ranks} -m torchtitan.train {options}",
    )  # fmt: skip


def grid() -> Iterator[Combination]:
    """Weights × compute × how they are spread, as options or in code; machines; what is refused."""
    for (dtype, param), way in itertools.product(GRID, WAYS):
        both: Settings = {"dtype": dtype, "mixed_precision_param": param}
        yield combination(f"{dtype}, {param}", both, way)
        yield combination(f"{dtype}, {param} in code", {}, way, coded=both)
    for dtype, param in GRID:
        both = {"dtype": dtype, "mixed_precision_param": param}
        yield combination(f"{dtype}, {param}, accumulation", both | {"global_batch_size": 4})
        yield combination(f"{dtype}, {param}, over float32 in code", both, coded={"dtype": "float32"})
        yield combination(f"{dtype}, {param}, checkpointing", both, checkpointing="SelectiveAC.Config()")
        for machine in ("v100", "h100"):
            yield combination(f"{dtype}, {param}, {machine}", both, machine=machine)
    for way in WAYS:
        yield combination("nothing said", {}, way)
    yield combination("nothing said, cpu", {}, machine="cpu")
    for key, value in itertools.product(
        ("dtype", "mixed_precision_param", "mixed_precision_reduce"), ("float16", "bfloat16", "float64")
    ):
        if (key, value) not in {("dtype", "bfloat16"), ("mixed_precision_param", "bfloat16")}:
            yield combination(f"{key} {value}", {key: value})
            yield combination(f"{key} {value} in code", {}, coded={key: value})
