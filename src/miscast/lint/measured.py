"""Measured training runs: `measurements/` has a file per system.

benchmarks/settings/evidence.py writes them.

    of("transformers").cells["model"]["bf16=True"]   {"bfloat16": ["autocast", "compute"], "float32": ["outputs"], …}

A cell's key is the setting that decided it, after the system's name if that is another one, else the reason.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from ..core.frozen import dataclass
from ..core.regex import regex
from .setting import Unknown, named_dtype
from .unsaid import model_family

if TYPE_CHECKING:
    from .run import Run
    from .system import Key, Setting
    from .table import Cell

FOLDER = os.path.join(os.path.dirname(__file__), "measurements")
_OWN = regex(
    r"""path|file|_dir|base_model|^@0|model_name|flavor|variant|^vae|^deepspeed$|_component_|modules_to_save|cls_to_wrap
    |network_args|network_dim|num_params|num_processes|devices|accumul|clip_val|learning_rate|(^|[._])lr$|probability
    |scale_power|loss_scale""",
    re.VERBOSE,
)
Values = Mapping[str, tuple[str, ...]]
"""Settings, and their measured values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The measured runs of one system; `beside` are the other systems in them."""

    versions: tuple[str, ...]
    devices: tuple[str, ...]
    beside: tuple[str, ...]
    programs: tuple[str, ...]
    settings: Values
    cells: Mapping[str, Mapping[str, Values]]
    """Measured combinations by named module, deciding setting or reason, and value."""


@cache
def of(system: str) -> Measured | None:
    """Return the measured runs of a system, or None."""
    name = os.path.join(FOLDER, f"{system}.json")
    if not os.path.exists(name):
        return None
    with open(name, encoding="utf-8") as file:
        return Measured(**json.load(file))


def spelled(setting: Setting) -> str:
    """Return a setting's value for comparison: a dtype's name, the model family of a path, else "…"."""
    value = setting.value
    if isinstance(value, Unknown):
        return "?"
    if not is_choice(setting.key):
        return named_dtype(value) or model_family(str(value)) or "…"
    return named_dtype(value) or str(value)


def is_choice(key: Key) -> bool:
    """Check whether a key has a choice of values to measure: no path, and no number or name of the user."""
    return key.kind in ("bool", "choice") or not _OWN.search(key.name)


def decider(run: Run, cell: Cell) -> str:
    """Return what decided a cell: "bf16=True", "accelerate: mixed_precision=fp16", or a reason."""
    if cell.by is None:
        return cell.why
    return f"{owned(run, cell.by)}={spelled(cell.by)}"


def owned(run: Run, setting: Setting) -> str:
    """Return a setting's key, after the name of its system if the table is another system's."""
    for view in run.views:
        if view.system is not run.decides and any(
            document is setting.document for document in view.documents
        ):
            return f"{view.system.name}: {setting.key.name}"
    return setting.key.name
