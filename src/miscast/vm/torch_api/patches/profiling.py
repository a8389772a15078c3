"""Profilers: what a device does is not there to be timed, so that the host's part alone is recorded.

A build without the device's own profiler would end the program, or print a trace of C++ for each op.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import torch
from torch.autograd import profiler
from torch.profiler import ProfilerActivity

from ....running.process.patching import Patch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...machine import VirtualMachine

_ACTIVITIES = {"cuda": "CUDA", "xpu": "XPU"}
_MARKERS = ("emit_nvtx", "emit_itt")
"""Markers of ranges for an outside profiler. They need its library in torch's build."""


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Patch `torch.profiler.profile`, its supported activities, and the older profilers."""
    device = vm.machine.device
    if device not in _ACTIVITIES:
        return
    yield Patch(
        profiler.profile, "__init__", _of_the_host(profiler.profile.__init__, device)
    )
    for name in _MARKERS:
        owner = getattr(profiler, name)
        yield Patch(owner, "__enter__", lambda self: self)
        yield Patch(owner, "__exit__", lambda _self, *_: False)
    original: Any = torch.profiler.supported_activities

    def supported_activities() -> set[Any]:
        return {*original(), getattr(ProfilerActivity, _ACTIVITIES[device])}

    yield Patch(torch.profiler, "supported_activities", supported_activities)
    yield Patch(torch.profiler.profiler, "supported_activities", supported_activities)


def _of_the_host(original: Any, device: str) -> Any:
    nothing = {"use_cuda": False, "use_device": None, "use_cpu": True}

    @wraps(original)
    def __init__(self: Any, *args: Any, **options: Any) -> None:  # noqa: N807
        asked = "cuda" if options.get("use_cuda") else options.get("use_device")
        original(self, *args, **options | (nothing if asked == device else {}))

    return __init__
