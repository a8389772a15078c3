"""torch.distributed with one process: real groups over a backend that sends nothing, collectives that are identities.

The process is the rank that its environment names, 0 of 1 where that names none. What the other ranks would send is
taken to be what this one has.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import torch.distributed as dist

from ....running.process.patching import Patch, around
from ...collectives.backends import NATIVE, checked
from ...collectives.single_rank import COLLECTIVES, NOT_STARTED, Done
from ...provenance.record import is_tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...machine import VirtualMachine

_ALONE = {
    "RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": "1", "LOCAL_WORLD_SIZE": "1", "GROUP_RANK": "0",
    "MASTER_ADDR": "localhost", "MASTER_PORT": "29500",
}  # fmt: skip


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Patch start and end, every collective, and the environment variables that `torchrun` sets."""
    yield from _environment(vm)
    if not dist.is_available():
        return
    c10d = sys.modules["torch.distributed.distributed_c10d"]
    yield Patch(sys, "excepthook", sys.excepthook)
    yield from _as_before(c10d)
    started: dict[str, str] = {}
    start = _starter(vm, c10d, started)
    yield Patch(c10d, "init_process_group", start)
    yield Patch(c10d, "get_backend", lambda group=None: started.get("backend", "gloo"))
    yield around(c10d, "new_group", _new_group)
    for name, stand_in in COLLECTIVES.items():
        if hasattr(c10d, name):
            yield Patch(c10d, name, _collective(vm, name, stand_in, started))
    if vm.gathering is not None:
        from ...collectives import api

        yield from api.patches(vm, vm.gathering, start)


def _as_before(c10d: Any) -> Iterator[Patch]:
    """Patch torch's tables of backends and groups so that registrations end with the machine."""
    for table in (
        "_plugins",
        "default_device_backend_map",
        "backend_capability",
        "backend_type_map",
    ):
        if isinstance(getattr(dist.Backend, table, None), dict):
            yield Patch(dist.Backend, table, dict(getattr(dist.Backend, table)))
    yield Patch(dist.Backend, "backend_list", list(dist.Backend.backend_list))
    for name, value in list(vars(c10d).items()):
        if (
            name.startswith("_")
            and not name.startswith("__")
            and isinstance(value, (str, int, type(None)))
        ):
            yield Patch(c10d, name, value)


def _new_group(original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    known = {name: a for name, a in kwargs.items() if name in ("ranks", "timeout")}
    return original(*args[:2], **known)


def _environment(vm: VirtualMachine) -> Iterator[Patch]:
    """Patch `os.environ["LOCAL_RANK"]` for scripts that expect torchrun; lookups with a default still return it."""
    kind = type(os.environ)
    plain = kind.__getitem__

    def get(self: Any, name: str, default: Any = None) -> Any:
        try:
            return plain(self, name)
        except KeyError:
            return default

    def item(self: Any, name: str) -> str:
        try:
            return plain(self, name)
        except KeyError:
            if name not in _ALONE:
                raise
            vm.recorder.note(
                f"environment variable {name} is not set: using {_ALONE[name]}, as for torchrun with one process"
            )
            return _ALONE[name]

    yield Patch(kind, "__getitem__", item)
    yield Patch(kind, "get", get)
    yield Patch(kind, "__contains__", lambda self, name: get(self, name) is not None)


def _starter(
    vm: VirtualMachine, c10d: Any, started: dict[str, str]
) -> Callable[..., None]:
    original = c10d.init_process_group
    hook = sys.excepthook

    def init_process_group(
        backend: Any = None,
        init_method: Any = None,
        timeout: Any = None,
        world_size: int = -1,
        rank: int = -1,
        *_: Any,
        **__: Any,
    ) -> None:
        """Start the process group that the program requests, over a backend that sends nothing."""
        name = str(backend or "").lower() or NATIVE.get(vm.machine.device, "gloo")
        if name == "nccl" and vm.machine.device != "cuda":
            raise ValueError(
                "ProcessGroupNCCL is only supported with GPUs, no GPUs found!"
            )
        from torch.testing._internal.distributed import fake_pg

        if "FAKE" not in dist.Backend._plugins:
            devices = ["cpu", "cuda", "hpu", "xpu"]
            dist.Backend.register_backend(
                "fake", fake_pg._create_fake_pg, extended_api=True, devices=devices
            )
        size = _asked("WORLD_SIZE", world_size, least=1)
        own = _asked("RANK", rank, least=0)
        original("fake", store=fake_pg.FakeStore(), world_size=size, rank=own)
        sys.excepthook = hook
        started["backend"] = name.rpartition(":")[2] if name.count(":") == 1 else name
        vm.leaving.append(
            lambda: c10d.destroy_process_group() if dist.is_initialized() else None
        )
        if vm.gathering is None:
            text = f"torch.distributed: rank {own} of {size} ran; data from other ranks was replaced by its own"
            vm.recorder.note(text)

    return init_process_group


def _asked(name: str, value: int, *, least: int) -> int:
    return value if value >= least else int(os.environ.get(name, _ALONE[name]))


def _collective(
    vm: VirtualMachine, name: str, stand_in: Callable[..., Any], started: dict[str, str]
) -> Callable[..., Any]:
    def collective(*args: Any, async_op: bool = False, **kwargs: Any) -> Any:
        if not dist.is_initialized():
            raise ValueError(NOT_STARTED)
        tensors = [
            t
            for a in (*args, *kwargs.values())
            for t in (a if isinstance(a, (list, tuple)) else (a,))
        ]
        given = [t for t in tensors if is_tensor(t)]
        # the output is the first argument of all others
        sent_first = given if name == "gather" else given[::-1]
        checked(vm, name, started.get("backend", ""), sent_first)
        vm.observed.reduced(name, given)
        result = stand_in(*args, **kwargs)
        return Done() if async_op or name in ("isend", "irecv") else result

    return collective
