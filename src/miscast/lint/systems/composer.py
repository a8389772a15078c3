"""Composer and llm-foundry: `Trainer(precision=…)`, and the YAML of `composer train.py`."""

from __future__ import annotations

from collections.abc import Iterator

from ..conflict import Conflict
from ..deciding import chosen
from ..run import FLOAT8, Run
from ..system import Key, System, Text
from ..table import Cell, Component, trained
from ..view import View

_PRECISION = "composer/core/precision.py, 0.33"
_AUTOCAST = {"fp32": "off", "amp_fp16": "float16", "amp_bf16": "bfloat16", "amp_fp8": "float8"}

KEYS = (
    Key(
        name="precision", allowed=(None, *_AUTOCAST), default=None, caseless=("file", "environment", "call"),
        rejects="ValueError: Value {value} not found in Precision. Available values are "
        "['fp32', 'amp_fp16', 'amp_bf16', 'amp_fp8']",
        means="autocast; unset: amp_fp16 on a GPU, fp32 on a CPU", source=_PRECISION,
    ),
    Text(name="fsdp_config.mixed_precision", default="DEFAULT", aliases=("parallelism_config.fsdp.mixed_precision",),
         source="composer/distributed/mosaic_parallelism.py"),
    Text(name="max_duration", source="composer/trainer/trainer.py"),
)


def effective(view: View, run: Run) -> Iterator[Component]:
    """Yield the model in float32 under autocast; FSDP's policy may keep less."""
    autocast = chosen(view, "precision", of="Composer")
    if autocast.value in ("unknown", "None"):
        autocast = Cell(value="unknown", why="unset: float16 on a GPU, off on a CPU")
    else:
        named = _AUTOCAST.get(str(view.get("precision")).lower(), "unknown")
        autocast = Cell(value=named, by=autocast.by)
    yield trained("model", weights=Cell(value="float32", why="the optimizer's copy"), autocast=autocast)


SYSTEM = System(
    name="composer", title="Composer and llm-foundry", version="0.33", source=_PRECISION, keys=KEYS,
    others=frozenset(
        "global_train_batch_size device_train_microbatch_size device_eval_batch_size eval_interval fsdp_config "
        "max_seq_len train_loader eval_loader scheduler optimizer algorithms progress_bar log_to_console".split()
    ),
    marks=(("precision", "max_duration"), ("precision", "device_train_microbatch_size")), programs=("Trainer",),
    modules=("composer",), imported=True, effective=effective,
)


CONFLICTS = (
    Conflict(
        rule="fp8-not-available", keys=("precision",),
        when=lambda s, run: run.lacks(*FLOAT8) and s.at("precision", "amp_fp8"),
        says="precision {0} on a machine without float8 products",
        effect="RuntimeError: AMP_FP8 precision is used but current device does not support it.", help="use amp_bf16",
        source="composer/core/precision.py get_precision_context, 0.33",
    ),
)
