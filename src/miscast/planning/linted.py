"""The settings of a plan as configurations of trainers, read by `lint`."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

from ..fitting.candidate import Candidate
from ..lint import lint
from .spelled import spelled

_FILES = {
    "accelerate": "accelerate.yaml",
    "deepspeed": "ds_config.json",
    "onetrainer": "onetrainer.json",
}
_BESIDE: Mapping[str, Mapping[str, Any]] = {
    "accelerate": {"compute_environment": "LOCAL_MACHINE", "distributed_type": "NO"},
    "deepspeed": {"train_micro_batch_size_per_gpu": 1},
    "onetrainer": {},
}
"""What tells whose file it is."""


def linted(
    candidate: Candidate, components: Sequence[Mapping[str, Any]], machine: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The trainers whose files were written and read, and what was found in them, each a line."""
    settings = spelled(candidate, components)
    told: list[str] = []
    for system, name in _FILES.items():
        with tempfile.TemporaryDirectory(prefix="miscast-") as folder:
            path = os.path.join(folder, name)
            with open(path, "w", encoding="utf-8") as file:
                # JSON is YAML
                json.dump({**_BESIDE[system], **settings[system].settings}, file)
            report = lint([path], machine).report
        told += [f"{system}: {one.message}" for one in report.causes]
    return tuple(_FILES), tuple(told)
