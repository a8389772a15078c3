"""What real trainings were measured with: `measurements/` has a file per system.

benchmarks/settings/evidence.py writes them.

    of("transformers").cells["model"]["bf16=True"]   {"bfloat16": ["autocast", "compute"], "float32": ["outputs"], …}

A cell's key is what decided it: a setting, with its system's name before it where it is another's, else the reason.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from ..frozen import dataclass
from ..regex import regex
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
"""Settings, and the values that they had."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What the measured runs had whose table is one system's; `beside` are the other systems in them."""

    versions: tuple[str, ...]
    devices: tuple[str, ...]
    beside: tuple[str, ...]
    programs: tuple[str, ...]
    settings: Values
    cells: Mapping[str, Mapping[str, Values]]
    """By component, what decided a cell, and its value: the respects that were said and seen to have it."""


@cache
def of(system: str) -> Measured | None:
    """What was measured of a system; None: it was not run."""
    name = os.path.join(FOLDER, f"{system}.json")
    if not os.path.exists(name):
        return None
    with open(name, encoding="utf-8") as file:
        return Measured(**json.load(file))


def spelled(setting: Setting) -> str:
    """A setting's value as it is compared: a dtype by its name, a path by the family of the model in it, else "…"."""
    value = setting.value
    if isinstance(value, Unknown):
        return "?"
    if not is_choice(setting.key):
        return named_dtype(value) or model_family(str(value)) or "…"
    return named_dtype(value) or str(value)


def is_choice(key: Key) -> bool:
    """Whether a key has values that were to be tried: no path, and no number or name that is the user's own."""
    return key.kind in ("bool", "choice") or not _OWN.search(key.name)


def decider(run: Run, cell: Cell) -> str:
    """What decided a cell: "bf16=True", "accelerate: mixed_precision=fp16", or the reason where no setting did."""
    if cell.by is None:
        return cell.why
    return f"{owned(run, cell.by)}={spelled(cell.by)}"


def owned(run: Run, setting: Setting) -> str:
    """A setting's key, behind the name of its system where that is not the one whose table it is."""
    for view in run.views:
        if view.system is not run.decides and any(
            document is setting.document for document in view.documents
        ):
            return f"{view.system.name}: {setting.key.name}"
    return setting.key.name
