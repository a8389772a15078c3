"""x-flux: the YAML of its scripts, which pass `mixed_precision` to accelerate."""

from __future__ import annotations

from collections.abc import Iterator

from ..deciding import chosen
from ..facts import Facts
from ..prepared import prepared
from ..run import Run
from ..system import Number, System, Text
from ..table import Cell, Component
from ..view import View
from . import accelerate

_SCRIPTS = "x-flux train_flux_deepspeed.py, train_flux_lora_deepspeed.py"


def effective(view: View, run: Run) -> Iterator[Component]:
    """Yield the transformer or its LoRA, which the scripts raise to float32 before accelerate prepares it."""
    whole = Cell(value="float32", why="the scripts raise trained weights to float32")
    yield prepared(run, whole, chosen(view, "mixed_precision")).component("dit")


SYSTEM = System(
    name="xflux", title="x-flux", version="2024-09", source=_SCRIPTS,
    keys=(
        accelerate.SYSTEM.by_name["mixed_precision"],
        Text(name="model_name", source=_SCRIPTS),
        Number(name="learning_rate", source=_SCRIPTS),
        Number(name="gradient_accumulation_steps", source=_SCRIPTS),
    ),
    others=frozenset(
        "report_to train_batch_size output_dir max_train_steps lr_scheduler rank single_blocks double_blocks "
        "disable_sampling sample_every checkpoints_total_limit tracker_project_name".split()
    ),
    marks=(("model_name", "data_config.", "mixed_precision"), ("model_name", "data_config.", "tracker_project_name")),
    effective=effective, unknown_key="silent: OmegaConf loads it, and nothing reads it",
    facts=Facts(fills_auto=True, overrides_launcher=True, compared_with_engine=True),
)
