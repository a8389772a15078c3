"""Watchers of ops beside Miscast: profilers record the host's part alone, modes below autograd stay off.

What a device does is not there to be timed; a build without the device's own profiler would end the program, or print a
trace of C++ for each op. C++ cannot call a fallback of a dispatch key while a mode below autograd is on (flop counters,
selective checkpointing). Without its mode, selective checkpointing recomputes everything, and a counter counts nothing:
no dtype depends on either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.autograd import profiler
from torch.profiler import ProfilerActivity

from ....running.process.patching import Patch, around
from ....running.torch_abi import DispatchMode, is_excluded
from ...key import KEY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...machine import VirtualMachine

_ACTIVITIES = {"cuda": "CUDA", "xpu": "XPU"}
_HOST = {"use_cuda": False, "use_device": None, "use_cpu": True}
_MARKERS = ("emit_nvtx", "emit_itt")
"""Markers of ranges for an outside profiler. They need its library in torch's build."""


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Patch `with TorchDispatchMode():` so that it has no effect, `torch.profiler.profile`, and older profilers."""

    def enter(self: Any) -> Any:
        if not is_excluded(KEY):  # else torch's own use, of meta tensors already
            vm.recorder.note(f"{type(self).__name__} was not activated")
        return self

    yield Patch(DispatchMode, "__enter__", enter)
    yield Patch(DispatchMode, "__exit__", lambda _self, *_: None)
    device = vm.machine.device
    if device not in _ACTIVITIES:
        return
    yield around(profiler.profile, "__init__", _of_the_host, device)
    for owner in (getattr(profiler, name) for name in _MARKERS):
        yield Patch(owner, "__enter__", lambda self: self)
        yield Patch(owner, "__exit__", lambda _self, *_: False)
    activity = getattr(ProfilerActivity, _ACTIVITIES[device])
    for owner in (torch.profiler, torch.profiler.profiler):
        yield around(owner, "supported_activities", lambda own: {*own(), activity})


def _of_the_host(
    device: str, original: Any, self: Any, *args: Any, **options: Any
) -> None:
    asked = "cuda" if options.get("use_cuda") else options.get("use_device")
    original(self, *args, **options | (_HOST if asked == device else {}))
