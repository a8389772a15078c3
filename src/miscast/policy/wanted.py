"""The dtype and device expected by a module, a tensor or a policy."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from .boundary import boundaries
from .policy import Policy
from .quantized import is_number
from .regions import components
from .torch_dtypes import torch_dtype

# fmt: off
MODALITIES: Mapping[str, tuple[str, ...]] = {
    "pixel_values": (
        "vision_tower", "vision_model", "visual", "vision_encoder", "image_encoder", "vit", "vision",
    ),
    "pixel_values_videos": ("vision_tower", "video_tower", "visual", "vision_model"),
    "image_embeds": ("multi_modal_projector", "language_model"),
    "input_features": ("audio_tower", "audio_encoder", "speech_encoder", "encoder"),
    "input_values": ("audio_tower", "audio_encoder", "speech_encoder", "feature_extractor"),
    "inputs_embeds": ("language_model", "text_model"), "prompt_embeds": ("unet", "transformer"),
    "latents": ("unet", "transformer"),
}
# fmt: on
"""The parts of a multimodal model that take an input: names of submodules, the likeliest first."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A dtype for floats and a device; None where anything will do. `who` wants it: a path, or ""."""

    dtype: torch.dtype | None = None
    device: torch.device | None = None
    who: str = ""


def by_name(
    like: Any, dtype: str | torch.dtype | None, device: str | torch.device | int | None
) -> Callable[[str | None], Wanted]:
    """Return what the input of a name should be: `dtype` and `device` or, if these are None, those of `like`."""
    given = torch_dtype(Policy(compute_dtype=dtype).compute_dtype)
    place = None if device is None else torch.device(device)

    @functools.cache
    def of(name: str | None) -> Wanted:
        said = Wanted() if like is None else wanted(like, name)
        who = said.who if given is None and place is None else ""
        return Wanted(given or said.dtype, place or said.device, who)

    return of


def wanted(like: Any, name: str | None = None) -> Wanted:
    """Return what `like` wants of an input, or of the input called `name`. Raises TypeError for what says nothing."""
    if isinstance(like, torch.Tensor):
        return Wanted(like.dtype if like.is_floating_point() else None, like.device)
    if isinstance(like, Policy):
        compute = like.compute_dtype or like.param_dtype
        mixed = like.param_dtype not in (None, compute)
        return Wanted(torch_dtype(like.param_dtype if mixed else compute))
    if isinstance(like, (torch.dtype, torch.device, str)):
        raise TypeError(
            f"like= must be a module, a tensor or a policy; use dtype= or device= for {str(like)!r}"
        )
    parts = components(like)
    who, module = _part(parts, name)
    return _of_module(module, who or type(module).__name__)


def _part(parts: Mapping[str, nn.Module], name: str | None) -> tuple[str, nn.Module]:
    likely = MODALITIES.get(name or "", ())
    modules = [
        (f"{root}.{path}".strip("."), module)
        for root, part in parts.items()
        for path, module in part.named_modules()
    ]
    for last in likely:
        for path, module in modules:
            if path.rpartition(".")[2] == last and any(
                True for _ in module.parameters()
            ):
                return path, module
    return next(iter(parts.items()))


def _of_module(module: nn.Module, who: str) -> Wanted:
    for boundary in boundaries(module):
        if boundary.entry is not None:
            return Wanted(boundary.wants(), boundary.device(module), who)
    parameters = [*module.parameters(), *module.buffers()]
    dtype = next((p.dtype for p in parameters if is_number(p)), None)
    device = parameters[0].device if parameters else None
    return Wanted(
        dtype, None if device is None or device.type == "meta" else device, who
    )
