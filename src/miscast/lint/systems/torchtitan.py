"""torchtitan: TOML with `[training]` and `[parallelism]` until 0.2, dataclasses in Python since; options for both.

Without FSDP, 0.2 trains under autocast, on one GPU and under DDP; 0.3 puts FSDP's policy on every model. flame is built
on 0.2, and has the degrees where older releases had them: `training.…`, `experimental.…`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal

from ...core.frozen import replace
from ..conflict import Conflict, When
from ..deciding import chosen
from ..facts import Facts, Updates
from ..messages import UNSCALED
from ..run import FLOAT8, Run
from ..setting import Document
from ..system import Key, Number, Switch, System, Text
from ..table import Cell, Component, trained
from ..view import View

_CONFIG = "torchtitan/config/configs.py"
_PARALLEL = "parallelism"
_KINDS = ("data_parallel_replicate", "tensor_parallel", "pipeline_parallel", "context_parallel")
_DEGREES = (
    ("data_parallel_shard", "training", -1), ("data_parallel_replicate", "training", 1),
    ("tensor_parallel", "training", 1), ("pipeline_parallel", "experimental", 1),
    ("context_parallel", "experimental", 1),
)
"""Kinds of parallelism, the section that their degree stood in until 0.1, and in flame, and its default."""
_SECTIONS = {"TrainingConfig": "training", "ParallelismConfig": _PARALLEL}
_NO_CUDA = "RuntimeError: Found no NVIDIA driver on your system."
_REJECTS = "KeyError: {value!r} (TORCH_DTYPE_MAP); as an option, tyro rejects it"
UNREDUCED = "KeyError: '{0}' (TORCH_DTYPE_MAP), under FSDP; as an option, tyro rejects it"
_DTYPES = ("bfloat16", "float32", "float16")
"""The dtypes in a file or code, where only these are checked; options are compared with the annotation."""
OPTIONS = {
    "training.dtype": ("bfloat16", "float32"),
    "training.mixed_precision_param": ("bfloat16", "float32"),
    "training.mixed_precision_reduce": ("float32",),
}
"""The dtypes that tyro accepts on the command line."""

KEYS = (
    Key(name="training.dtype", allowed=_DTYPES, default="float32", rejects=_REJECTS, source=_CONFIG,
        means="weights, gradients and optimizer states"),
    Key(name="training.mixed_precision_param", allowed=_DTYPES, default="bfloat16", rejects=_REJECTS, source=_CONFIG,
        means="FSDP2's param_dtype, or autocast's"),
    Key(name="training.mixed_precision_reduce", allowed=_DTYPES, default="float32", source=_CONFIG,
        means="FSDP2's reduce_dtype"),
    *(
        Number(name=f"{_PARALLEL}.{kind}_degree", aliases=(f"{before}.{kind}_degree",), default=default, source=_CONFIG)
        for kind, before, default in _DEGREES
    ),
    Number(name="optimizer.lr", default=8e-4, source="torchtitan/components/optimizer.py"),
    Text(name="optimizer.name", default="AdamW", source="torchtitan/components/optimizer.py"),
    Text(name="model.name", source="torchtitan/config"),
    Text(name="model.flavor", source="torchtitan/config"),
    Text(name="activation_checkpoint.mode", default="selective", source=_CONFIG),
    Text(name="model.converters.0", source="torchtitan/components/quantization"),
    Switch(name="quantize.linear.float8.emulate", aliases=("float8.emulate",),
           source="torchtitan/components/quantization/float8.py"),
)
_OTHERS = frozenset(
    "training.local_batch_size training.batch_size training.seq_len training.steps training.max_norm training.dataset "
    "training.compile job.dump_folder job.description metrics.log_freq checkpoint.folder lr_scheduler.warmup_steps "
    "profiling.enable_profiling model.tokenizer_path model.hf_assets_path float8.enable_fsdp_float8_all_gather".split()
)


def effective(view: View, run: Run) -> Iterator[Component]:
    """Yield the model under FSDP2's policy; until 0.2 only if it is sharded, else under autocast to the same dtype."""
    weights, param = chosen(view, "training.dtype"), chosen(view, "training.mixed_precision_param")
    way = _spread(view, run)
    computed = weights if way == "nothing" else param
    autocast = {
        "policy": Cell(value="off", by=param.by, why="FSDP2's policy casts instead"),
        # torch's autocast accepts float32 too, and then raises half-precision weights
        "autocast": param,
        "nothing": Cell(value="off", by=param.by, why="off with tensor or pipeline parallelism without FSDP"),
        "unknown": Cell(value="unknown", by=param.by, why="off under FSDP2, else the compute dtype until 0.2"),
    }
    reduced = {
        "policy": chosen(view, "training.mixed_precision_reduce"),
        "unknown": Cell(value="unknown", why="mixed_precision_reduce under FSDP2, else as the gradients"),
    }
    yield trained(
        "model", weights=weights, autocast=autocast[way], compute=computed, outputs=computed,
        reduction=reduced.get(way), scaling=Cell(value="off", why="bfloat16 needs no loss scaling"),
    )


def _spread(view: View, run: Run) -> Literal["policy", "autocast", "nothing", "unknown"]:
    """Return how a model is cast: since 0.3 always by FSDP's policy, even on one GPU (models/llama3/parallelize.py)."""
    others = [view.number(f"{_PARALLEL}.{kind}_degree") or 1 for kind in _KINDS]
    _, tensor, pipeline, context = others
    shard = view.number(f"{_PARALLEL}.data_parallel_shard_degree")
    if shard == -1:
        shard = run.machine.count / math.prod(others) if run.machine else None
    if from_python(view) or max(filter(None, (context, shard))) > 1:
        return "policy"
    if shard is None or not by_toml(view):
        return "unknown"
    return "nothing" if max(tensor, pipeline) > 1 else "autocast"


def reduces_in_none(view: View, run: Run) -> bool:
    """Check whether gradients are reduced in an unknown dtype, and the dtype is used."""
    setting = view.given("training.mixed_precision_reduce")
    if setting is None or not isinstance(setting.value, str) or setting.value in setting.key.allowed:
        return False
    return setting.document.origin == "command" or _spread(view, run) in ("policy", "unknown")


def from_python(view: View) -> bool:
    """Check whether the configuration is 0.3's: a function of a module, and dataclasses in it."""
    return any(document.origin == "call" or "module" in document.values() for document in view.documents)


def by_toml(view: View) -> bool:
    """Check whether the configuration is a file, as until 0.2."""
    return any(document.origin == "file" or "job.config_file" in document.values() for document in view.documents)


def translate(document: Document) -> Document:
    """Return a section in Python (`TrainingConfig(dtype=…)`) with the names of its options."""
    section = _SECTIONS.get(document.name.rpartition(".")[2]) if document.origin == "call" else None
    if section is None:
        return document
    entries = (entry if entry.path == "**" else replace(entry, key=(section, *entry.key)) for entry in document.entries)
    return replace(document, entries=tuple(entries))


def bfloat16_without_masters(view: View) -> Updates | None:
    """Return the settings of bfloat16 weights, gradients and states."""
    if not view.at("training.dtype", "bfloat16"):
        return None
    return Updates(dtype=view.given("training.dtype"), rate=view.given("optimizer.lr"))


SYSTEM = System(
    name="torchtitan", title="torchtitan", version="0.3.0",
    source=_CONFIG,
    keys=KEYS,
    others=_OTHERS,
    marks=(("training.seq_len",), ("training.mixed_precision_param",), ("job.dump_folder",), ("model.flavor",),
           ("training.dtype", "training.steps")),
    programs=("torchtitan", "torchtitan/train.py", "flame.train", "run_train.sh", *_SECTIONS),
    modules=("torchtitan",),
    imported=True,
    precedence=("command", "call", "environment", "file"),
    translate=translate,
    effective=effective,
    facts=Facts(own_program=True, bfloat16_without_masters=bfloat16_without_masters,
                refuses=lambda machine: _NO_CUDA if machine.device == "cpu" else ""),
)  # fmt: skip


def _refused_option(key: str) -> When:
    """Return the condition that an option has a dtype that only a file accepts."""

    def refused(view: View, _: Run) -> bool:
        setting = view.given(key)
        taken = OPTIONS[key]
        option = setting is not None and setting.document.origin == "command"
        known = setting is not None and setting.value in setting.key.allowed
        return option and known and view.get(key) not in taken

    return refused


CONFLICTS = (
    *(
        Conflict(
            rule="float16-without-loss-scaling", severity="warning", keys=(key,),
            when=lambda s, _, key=key: s.at(key, "float16"),  # type: ignore[misc]
            says=f"{key} is float16, and torchtitan has no grad scaler",
            effect=UNSCALED,
            help="use bfloat16",
            source="torchtitan/train.py, 0.2.2; trainer.py, 0.3.0",
        )
        for key in ("training.dtype", "training.mixed_precision_param")
    ),
    Conflict(
        rule="fp8-not-available", keys=("model.converters.0",),
        when=lambda s, run: (
            run.lacks(*FLOAT8)
            and "float8" in s.text("model.converters.0")
            and not s.on("quantize.linear.float8.emulate")
        ),
        says="the converter {0} on a machine without float8 products",
        effect="ValueError: Failed to swap to Float8Linear because float8 is only supported on NVIDIA SM89 or later, "
        "or AMD gfx942 (MI300) or later.",
        help="drop the converter", source="torchtitan/components/quantization/float8.py, 0.3.0",
    ),
    *(
        Conflict(
            rule="rejected-value", keys=(key,), when=_refused_option(key),
            says=f"{key} is {{0}}, which torchtitan rejects as an option",
            effect=f"tyro: '{{0}}' is not one of {', '.join(map(repr, taken))}", help=f"use {' or '.join(taken)}",
            source="torchtitan/config/configs.py, 0.3.0",
        )
        for key, taken in OPTIONS.items()
    ),
    Conflict(
        rule="rejected-value", keys=("training.mixed_precision_reduce",), when=reduces_in_none,
        says="training.mixed_precision_reduce is {0}, which torchtitan rejects", effect=UNREDUCED,
        help="use bfloat16, float32 or float16",
        source="torchtitan/models/llama3/infra/parallelize.py, 0.2.2: without FSDP nothing reads it",
    ),
    Conflict(
        rule="rejected-value", keys=("model.converters.0",),
        when=lambda s, _: (
            s.at("model.converters.0", "float8", "mx") and (s.below("quantize.") or s.below("model.hf_assets_path"))
        ),
        says="the converter is called {0}, as in torchtitan 0.1, but other keys are from 0.2", effect="KeyError: '{0}'",
        help='use "quantize.linear.{0}"', source="torchtitan/components/quantization/float8.py, mx.py, 0.2.2 and 0.1.0",
    ),
    Conflict(
        rule="setting-has-no-effect", severity="warning",
        keys=("training.mixed_precision_param", "parallelism.data_parallel_shard_degree",
              "parallelism.tensor_parallel_degree", "parallelism.pipeline_parallel_degree"),
        when=lambda s, _: (
            by_toml(s)
            and s.at("training.mixed_precision_param", "bfloat16")
            and s.given("training.mixed_precision_param") is not None
            and s.number("parallelism.data_parallel_shard_degree") == 1
            and s.number("parallelism.context_parallel_degree") in (None, 1.0)
            and max(s.number(f"parallelism.{kind}_parallel_degree") or 1 for kind in ("tensor", "pipeline")) > 1
        ),
        says="mixed_precision_param has no effect without FSDP",
        effect="silent: it acts through fully_shard, or autocast under plain data parallelism; with tensor or pipeline "
        "parallelism alone, training runs in float32",
        help="use FSDP too (data_parallel_shard_degree above 1), or set training.dtype",
        source="torchtitan/distributed/utils.py maybe_enable_amp, until 0.2",
    ),
)
