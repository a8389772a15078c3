"""A policy put to work on a whole program.

>>> handle = miscast.apply(pipeline, "bf16-true", device="cuda")
>>> handle.kept[0]
Kept(path='unet.rotary.inv_freq', dtype='float32', reason='frequencies of rotary embeddings')
>>> handle.remove()
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .fields import PolicyError
from .policy import Policy

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import torch
    from torch import nn

    from .boundary import Original
    from .kept import Kept
    from .regions import Site


@dataclass(frozen=True, slots=True, kw_only=True)
class Handle:
    """The effects of a policy on a program."""

    policy: Policy
    boundaries: tuple[str, ...]
    """The paths of the modules with hooks; the model itself is ""."""
    kept: tuple[Kept, ...]
    """The tensors not converted, and why."""
    _modules: tuple[nn.Module, ...] = field(repr=False)

    def remove(self) -> None:
        """Take the policy's hooks away, and give tensors the dtype and device from before the first `apply`.

        Values that a narrower dtype rounded stay rounded. A second call does nothing.
        """
        for module in self._modules:
            remove(module)


def apply(
    target: Any, policy: Policy | str, device: str | torch.device | int | None = None
) -> Handle:
    """Convert a model to a precision policy, and cast the inputs wherever data enters a converted module.

    The change is in place: parameters stay the same objects, also for an existing optimizer. A second call replaces the
    policy of the first.

    Args:
        target: A module, a diffusers pipeline, or a mapping of modules.
        policy: A policy, or its short name, such as "bf16-mixed".
        device: Where the model is to be. None leaves it where it is.

    Returns:
        A handle: `kept` lists the tensors that were not converted and why, `remove()` undoes the policy.

    Raises:
        PolicyError: The policy cannot be kept. Nothing was changed.
    """
    import torch

    from .conversion import convert
    from .plan import planned
    from .regions import components, sites

    policy = Policy.of(policy)
    parts = components(target)
    place = None
    if device is not None:
        place = _indexed(torch.device(device))
        _refuse_placed(parts)
    known = sites(parts, policy)
    plan = planned(known)
    originals, kept = convert(known, place)
    first: dict[tuple[int, str], Original] = {}
    for original in (*_taken_off(known), *originals):
        first.setdefault((id(original.module), original.name), original)
    for index, (site, boundary) in enumerate(plan):
        if index == 0 or site.parent is None:
            inside = {id(module) for module in site.module.modules()}
            boundary.originals = tuple(
                original for original in first.values() if id(original.module) in inside
            )
        boundary.attach(site.module)
    return Handle(
        policy=policy,
        boundaries=tuple(site.path for site, _ in plan),
        kept=kept,
        _modules=tuple(parts.values()),
    )


def _refuse_placed(parts: Mapping[str, nn.Module]) -> None:
    for name, part in parts.items():
        if any(hasattr(module, "_hf_hook") for module in part.modules()):
            raise PolicyError(
                f"accelerate already places {name or 'the model'}: do not pass `device`"
            )


def _taken_off(sites: Iterable[Site]) -> list[Original]:
    """Take earlier policies off; what tensors were before these."""
    from .boundary import boundaries, detach

    originals = []
    for site in sites:
        originals += [
            original
            for boundary in boundaries(site.module)
            for original in boundary.originals
        ]
        detach(site.module)
    return originals


def remove(model: nn.Module) -> None:
    """Take a policy off a model, or off a copy of one: see `Handle.remove`."""
    from .boundary import boundaries, detach
    from .conversion import restore

    for module in list(model.modules()):
        for boundary in boundaries(module):
            restore(boundary.originals)
        detach(module)


def _indexed(device: torch.device) -> torch.device:
    """Return the device with its index: "cuda" is where tensors say they are "cuda:0"."""
    import torch

    if device.type in ("cpu", "meta"):
        return device
    return torch.empty(0, device=device).device
