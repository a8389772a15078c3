"""The settings of a plan as files of trainers, read by `lint`: what it finds there, and what it reads otherwise.

>>> linted(candidate, components, "a100")["sd-scripts"].settings.lost
['vae computes in bfloat16, not in float32']
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from ..lint import lint
from ..policy import Policy
from .fitting.candidate import Candidate
from .language import TRAINERS
from .spelled import Spelled, spelled

if TYPE_CHECKING:
    from ..lint.table import Component

_Settings: TypeAlias = Mapping[str, Any]
_Written: TypeAlias = Callable[[_Settings], str]

_DTYPES = {"bfloat16", "float16", "float32"}
_WHOLE = ("lora", "model", "module", "network")
"""Names that lint gives to the trained model of a trainer that has just one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A trainer's settings, and `findings`: what `lint` has against the file that they make, each a line.

    What lint's table of that file says otherwise than the plan is lost in these settings, as what they have no words
    for. `written`: whether lint knows such a file; what is said in code is not read.
    """

    settings: Spelled
    findings: Sequence[str] = ()
    written: bool = False


def _json(**beside: Any) -> _Written:
    return lambda settings: json.dumps({**beside, **settings})  # JSON is YAML, too


def _toml(**beside: Any) -> _Written:
    def written(settings: _Settings) -> str:
        pairs = {**beside, **settings}.items()
        return "".join(f"{key} = {json.dumps(value)}\n" for key, value in pairs)

    return written


def _of_file(name: str) -> Callable[..., _Written]:
    return _toml if name.endswith(".toml") else _json


# fmt: off
_FILES: Mapping[str, tuple[str, _Written]] = {
    "accelerate": ("accelerate.yaml", _json(compute_environment="LOCAL_MACHINE", distributed_type="NO")),
    "deepspeed": ("ds_config.json", _json(train_micro_batch_size_per_gpu=1)),
    "lightning": (
        "lightning.yaml",
        lambda settings: json.dumps({"trainer": {"accelerator": "gpu", **settings}}),
    ),
    "onetrainer": ("onetrainer.json", _json()),
    "sd-scripts": (
        "sd-scripts.toml",
        _toml(pretrained_model_name_or_path="model", output_name="model", save_model_as="safetensors"),
    ),
    "simpletuner": ("config.json", _json(model_type="full", pretrained_model_name_or_path="model")),
    "transformers": ("training_arguments.json", _json(output_dir="out", per_device_train_batch_size=1)),
    **{one.name: (one.file, _of_file(one.file)(**one.beside)) for one in TRAINERS},
}
# fmt: on
"""Trainers that read a config file: the file, and the settings that identify the trainer."""
_LANGUAGE = {one.name for one in TRAINERS}


def linted(
    candidate: Candidate, components: Sequence[Mapping[str, Any]], machine: str
) -> dict[str, Read]:
    """Return what `lint` reads, by the name of the trainer."""
    settings = spelled(candidate, components)
    found = {name: Read(settings=one) for name, one in settings.items()}
    for system, (name, written) in _FILES.items():
        if system not in settings or (
            system in _LANGUAGE and not settings[system].settings
        ):
            continue
        with tempfile.TemporaryDirectory(prefix="miscast-") as folder:
            path = os.path.join(folder, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(written(settings[system].settings))
            read = lint([path], machine)
        parts = [part for run in read.runs for part in run.table]
        otherwise = _otherwise(candidate, components, parts)
        said = settings[system]
        found[system] = Read(
            settings=replace(said, lost=[*said.lost, *otherwise]),
            findings=tuple(one.message for one in read.report.causes),
            written=bool(parts),
        )
    return found


def _otherwise(
    candidate: Candidate,
    components: Sequence[Mapping[str, Any]],
    parts: Sequence[Component],
) -> Iterator[str]:
    """Yield what lint's table says of a component otherwise than the plan; what it does not know is nothing."""
    trained_first = sorted(components, key=lambda one: not one["trained"])
    names = [one["name"] for one in trained_first]
    for part in parts if names else ():
        name = names[0] if part.name in _WHOLE else part.name
        if name not in names:
            continue
        policy = Policy.parse(candidate.of(name))
        holds, computes = policy.param_dtype, policy.compute_dtype
        stored = part.parameters.value.split(", ")
        if {holds} != set(stored) <= _DTYPES:
            yield f"{name} is stored in {' and '.join(stored)} instead of {holds}"
        if part.compute.value in _DTYPES and part.compute.value != computes:
            yield f"{name} computes in {part.compute.value} instead of {computes}"
        elif holds == computes == part.autocast.value != "float32":
            yield f"{name} also runs under autocast"
