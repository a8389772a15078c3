"""Huawei's NPU. torch has no `torch.npu`; the torch_npu plug-in adds it, and here a part of it is made.

What is there: devices, memory, random numbers, streams, events, `Tensor.npu`, `Module.npu`, `import torch_npu`, and of
its own ops those of npu_ops.py. What is not: the other ops, and `torch_npu.contrib.transfer_to_npu`, which rewrites
`cuda` into `npu`.

`torch.device("npu")` needs torch's spare backend to be named so, and a name, once given, stays for the process.
"""

from __future__ import annotations

import sys
from functools import partial
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.utils.backend_registration import rename_privateuse1_backend

from ....running.process.patching import Patch
from .answers import always, answers, nothing
from .device import exchanges, index_of
from .memory import info, stats
from .npu_ops import OPS
from .properties import properties
from .rng import default_generator
from .streams import classes, named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ....core.machines import Machine
    from .state import State


def patches(machine: Machine, state: State) -> Iterator[Patch]:
    """Patch `torch.npu`, `torch_npu`, and the plug-in's methods of tensors and modules."""
    rename_privateuse1_backend("npu")
    module, plugin = ModuleType("torch.npu"), ModuleType("torch_npu")
    made = classes("npu", state)
    vars(module).update(
        _devices(machine, state) | _memory(machine, state) | _random(machine, state)
    )
    vars(module).update(_streams(state, made) | _rest())
    vars(plugin).update(
        OPS, npu=module, optim=SimpleNamespace(NpuFusedAdamW=torch.optim.AdamW)
    )
    vars(plugin).update(__version__=torch.__version__, __path__=[])
    yield Patch(torch, "npu", module)
    yield from named(made)
    yield from answers(
        sys.modules, {"torch.npu": module, "torch_npu": plugin, "torch_npu.npu": module}
    )
    yield Patch(Tensor, "npu", _to)
    yield Patch(Tensor, "is_npu", property(lambda tensor: tensor.device.type == "npu"))
    yield Patch(torch.nn.Module, "npu", _module_to)


def _to(
    tensor: Tensor, device: Any = None, non_blocking: bool = False, **_: Any
) -> Tensor:
    return tensor.to(_device(device), non_blocking=non_blocking)


def _module_to(module: torch.nn.Module, device: Any = None) -> torch.nn.Module:
    return module.to(_device(device))


def _device(device: Any) -> torch.device:
    if isinstance(device, int):
        return torch.device("npu", device)
    return torch.device(device or "npu")


def _devices(machine: Machine, state: State) -> dict[str, Any]:
    exchange, choose = exchanges(machine, state)
    described = properties(machine)

    def index(device: Any = None) -> int:
        return index_of(device, state)

    class Current:
        """`torch.npu.device`: the current device is another one for a while."""

        def __init__(self, device: Any) -> None:
            self.idx = -1 if device is None else index(device)

        def __enter__(self) -> None:
            self.prev_idx = exchange(self.idx)

        def __exit__(self, *_: object) -> None:
            exchange(self.prev_idx)

    return {
        "is_available": always(True), "is_initialized": always(True), "init": nothing, "_lazy_init": nothing,
        "_is_in_bad_fork": always(False), "device_count": always(machine.count),
        "current_device": lambda: state.current, "set_device": lambda device: choose(index(device)),
        "device": Current, "_exchange_device": exchange, "_maybe_exchange_device": exchange,
        "get_device_name": always(machine.title),
        "get_device_properties": lambda device=None: described[index(device)],
        "get_device_capability": always(None),
        "is_bf16_supported": always(machine.support("bfloat16") == "native"),
        "can_device_access_peer": lambda device, peer: index(device) != index(peer), "synchronize": nothing,
    }  # fmt: skip


def _memory(machine: Machine, state: State) -> dict[str, Any]:
    def of(answer: Callable[[int], Any]) -> Callable[..., Any]:
        return lambda device=None: answer(index_of(device, state))

    return {
        "mem_get_info": of(partial(info, machine, state)),
        "memory_allocated": of(state.allocated),
        "max_memory_allocated": of(state.peak),
        "memory_reserved": of(state.reserved),
        "max_memory_reserved": of(lambda i: max(state.peak(i), state.reserved(i))),
        "memory_stats": of(partial(stats, state)),
        "memory_summary": always(""),
        "reset_peak_memory_stats": of(state.reset_peak),
        "reset_max_memory_allocated": of(state.reset_peak),
        "set_per_process_memory_fraction": nothing,
        "empty_cache": nothing,
    }


def _random(machine: Machine, state: State) -> dict[str, Any]:
    def generator(device: Any = None) -> Any:
        return default_generator("npu", state, index_of(device, state))

    def manual_seed_all(seed: int) -> None:
        for index in range(machine.count):
            generator(index).manual_seed(seed)

    return {
        "manual_seed": lambda seed: generator().manual_seed(seed) and None,
        "manual_seed_all": manual_seed_all,
        "seed": lambda: generator().seed() and None,
        "seed_all": lambda: manual_seed_all(generator().seed()),
        "initial_seed": lambda: generator().initial_seed(),
        "get_rng_state": lambda device="npu": generator(device).get_state(),
        "set_rng_state": lambda new_state, device="npu": generator(device).set_state(new_state) and None,
        "get_rng_state_all": lambda: [generator(index).get_state() for index in range(machine.count)],
        "set_rng_state_all": lambda states: [generator(i).set_state(new) for i, new in enumerate(states)] and None,
        "default_generators": tuple(generator(index) for index in range(machine.count)),
    }  # fmt: skip


def _streams(state: State, made: dict[str, type]) -> dict[str, Any]:
    def current(device: Any = None) -> Any:
        index = index_of(device, state)
        return made["Stream"](stream_id=state.streams.get(index, 0), device_index=index)

    return {
        "Stream": made["Stream"],
        "Event": made["Event"],
        "ExternalStream": made["ExternalStream"],
        "current_stream": current,
        "default_stream": lambda device=None: made["Stream"](
            stream_id=0, device_index=current(device).device_index
        ),
        "stream": lambda stream: stream,
        "set_stream": lambda stream: stream.__enter__() and None,
    }


def _rest() -> dict[str, Any]:
    return {
        "get_amp_supported_dtype": lambda: [torch.float16, torch.bfloat16],
        "amp": SimpleNamespace(
            GradScaler=torch.amp.GradScaler, autocast=torch.amp.autocast
        ),
        "config": SimpleNamespace(allow_internal_format=False),
        "set_compile_mode": nothing,
        "set_option": nothing,
        "matmul": SimpleNamespace(allow_hf32=False),
        "conv": SimpleNamespace(allow_hf32=True),
    }
