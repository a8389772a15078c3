"""A plan in the terms of trainers: what each is to be told, and what it cannot be told.

>>> dict(spelled(candidate, components)["accelerate"].settings)
{'mixed_precision': 'bf16'}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..policy import Policy
from ..policy.export import Export
from .fitting.candidate import FLOAT32, Candidate
from .language import TRAINERS, model_of
from .saved import saved
from .scaling import settings

SYSTEMS = ("accelerate", "deepspeed", "fsdp", "fsdp2", "lightning", "transformers")
_ONETRAINER = {
    "bf16": "BFLOAT_16", "16": "FLOAT_16", "32": "FLOAT_32",
}  # fmt: skip
_ONETRAINER_PARTS = (
    *("unet", "prior", "transformer", "vae"),
    *("text_encoder", "text_encoder_2", "text_encoder_3"),
)
_SHORT = {"bf16": "bf16", "16": "fp16", "32": "no"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelled:
    """Settings of one trainer, `lost` what it has none for."""

    settings: Mapping[str, Any]
    lost: Sequence[str] = ()


def spelled(
    candidate: Candidate, components: Sequence[Mapping[str, Any]]
) -> dict[str, Spelled]:
    """Return the settings by trainer. The precision of trained models is the program's; others are exceptions."""
    names = [one["name"] for one in components]
    first = min(components, key=lambda one: not one["trained"], default={"name": ""})
    main = candidate.of(first["name"])
    others = {n: candidate.of(n) for n in names if candidate.of(n) != main}
    policy = Policy.parse(main)
    found = {system: _exported(policy.export(system), others) for system in SYSTEMS}
    found["onetrainer"] = _onetrainer(candidate, names, main)
    found["simpletuner"] = _simpletuner(candidate, names, main, others)
    found["sd-scripts"] = _sd_scripts(candidate, names, main, others)
    if model := model_of(components):
        found |= _language(candidate, names, model)
    checkpointing = _CHECKPOINTING if candidate.checkpointing else {}
    kept = [*saved(candidate)]
    for name, one in found.items():
        more = _with(one, checkpointing.get(name, {}))
        more = _with(more, *settings(name, candidate, components))
        for what, said in kept:
            more = _with(more, said.get(name, {}), () if name in said else [what])
        found[name] = more
    return found


def _exported(export: Export, others: Mapping[str, str]) -> Spelled:
    apart = [f"{name}: {said}, set separately" for name, said in others.items()]
    lost = [*map(str, export.lost), *apart]
    return Spelled(settings=dict(export.settings), lost=lost)


def _with(one: Spelled, more: Mapping[str, Any], lost: Sequence[str] = ()) -> Spelled:
    return Spelled(settings={**one.settings, **more}, lost=[*one.lost, *lost])


_CHECKPOINTING: Mapping[str, Mapping[str, Any]] = {
    "transformers": {"gradient_checkpointing": True},
    "onetrainer": {"gradient_checkpointing": "ON"},
    "simpletuner": {"gradient_checkpointing": True},
    "sd-scripts": {"gradient_checkpointing": True},
}


def _language(
    candidate: Candidate, names: Sequence[str], model: str
) -> dict[str, Spelled]:
    found = {}
    for trainer in TRAINERS:
        settings = trainer.settings(candidate, model)
        lost = [] if settings else [f"{model}: no setting for {candidate.of(model)}"]
        lost += [f"{one}: not part of it" for one in names if one != model]
        found[trainer.name] = Spelled(settings=settings, lost=lost)
    return found


def _kind(precision: str) -> tuple[str, bool]:
    """Return its dtype in short, and whether parameters are in float32 beside it."""
    short, _, how = precision.partition("-")
    return short, how == "mixed"


def _onetrainer(candidate: Candidate, names: Sequence[str], main: str) -> Spelled:
    short, _ = _kind(main)
    settings: dict[str, Any] = {"train_dtype": _ONETRAINER.get(short, short)}
    lost = []
    for name in names:
        own, own_mixed = _kind(candidate.of(name))
        weights = "FLOAT_32" if own_mixed else _ONETRAINER.get(own, own)
        if name in _ONETRAINER_PARTS:
            settings[f"{name}.weight_dtype"] = weights
        else:
            lost.append(f"{name}: there is no part with this name")
        if (own == "32" or own_mixed) and own != short and name != "vae":
            lost.append(f"{name}: every part runs under autocast to train_dtype")
    if main == FLOAT32:
        settings["train_dtype"] = "FLOAT_32"
    return Spelled(settings=settings, lost=lost)


def _simpletuner(
    candidate: Candidate, names: Sequence[str], main: str, others: Mapping[str, str]
) -> Spelled:
    short, mixed = _kind(main)
    settings: dict[str, Any] = {"mixed_precision": _SHORT[short]}
    lost = []
    if mixed:
        lost.append("weights are stored in mixed_precision's dtype, not in float32")
    if "vae" in names:
        vae, vae_mixed = _kind(candidate.of("vae"))
        settings["vae_dtype"] = "fp32" if vae_mixed or vae == "32" else _SHORT[vae]
    lost += [f"{n}: follows mixed_precision" for n in others if n != "vae"]
    return Spelled(settings=settings, lost=lost)


def _sd_scripts(
    candidate: Candidate, names: Sequence[str], main: str, others: Mapping[str, str]
) -> Spelled:
    short, mixed = _kind(main)
    settings: dict[str, Any] = {"mixed_precision": _SHORT[short]}
    if not mixed and short != "32":
        settings[f"full_{_SHORT[short]}"] = True
    if "vae" in names and candidate.of("vae") == FLOAT32 and short != "32":
        settings["no_half_vae"] = True
    lost = [f"{n}: follows mixed_precision" for n in others if n != "vae"]
    return Spelled(settings=settings, lost=lost)
