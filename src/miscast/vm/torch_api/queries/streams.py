"""Streams, events and graphs of devices that do nothing: all work is done when it is asked for."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, ClassVar

import torch

from ....running.process.patching import Patch
from .answers import always, answers, nothing, standing_for
from .device import index_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from typing_extensions import Self

    from ....core.machines import Machine
    from .state import State

# c10::DeviceType in c10/core/DeviceType.h; npu is PrivateUse1
_TYPES = {"cuda": 1, "mps": 13, "npu": 20, "xpu": 12}


class Stream(torch._C.Stream):
    """A stream of a virtual device. torch's C++ takes it for a stream (`Tensor.record_stream`)."""

    _state: ClassVar[State]
    _kind: ClassVar[str]

    def __new__(
        cls,
        device: Any = None,
        priority: int = 0,
        *,
        stream_id: int | None = None,
        **given: Any,
    ) -> Self:
        """Return a new stream of a device (None: the current one), or the one with these ids."""
        index = (
            given.get("device_index", -1)
            if stream_id is not None
            else index_of(device, cls._state)
        )
        made = super().__new__(
            cls,
            stream_id=cls._state.handle() if stream_id is None else stream_id,
            device_index=cls._state.current if index < 0 else index,
            device_type=_TYPES[cls._kind],
        )
        made.priority, made._before = min(priority, 0), []
        return made

    priority: int
    _before: list[tuple[int, int]]

    @staticmethod
    def priority_range() -> tuple[int, int]:
        """Return (lowest, highest)."""
        return 0, -1

    @property
    def cuda_stream(self) -> int:
        """The handle; the default stream's is 0."""
        return self.stream_id

    npu_stream = sycl_queue = cuda_stream

    # all work is done, and the body of a graph runs directly
    wait_event = wait_stream = synchronize = nothing
    query, is_capturing = always(True), always(False)

    def record_event(self, event: Any = None) -> Any:
        """Return an event that has happened."""
        event = (
            event if event is not None else torch.get_device_module(self._kind).Event()
        )
        event.record(self)
        return event

    def __enter__(self) -> Self:
        """Be the current stream of its device, which becomes the current device."""
        self._before.append(
            (self._state.current, self._state.streams.get(self.device_index, 0))
        )
        _choose(self._state, self)
        return self

    def __exit__(self, *_: object) -> None:
        self._state.current, self._state.streams[self.device_index] = self._before.pop()

    def __eq__(self, other: object) -> bool:
        """Return the same stream of the same device."""
        return isinstance(other, torch._C.Stream) and (self.stream_id, self.device) == (
            other.stream_id,
            other.device,
        )

    def __hash__(self) -> int:
        """Hash equal streams to one key."""
        return hash((self.stream_id, self.device_index))

    def __repr__(self) -> str:
        """Return a representation like torch's."""
        return f"<torch.{self._kind}.Stream device={self.device} {self._kind}_stream={self.stream_id:#x}>"


class Event(torch._C.Event):
    """An event of a virtual device. Elapsed time is the host's: a stand-in that can be divided by."""

    _state: ClassVar[State]
    _kind: ClassVar[str]

    def __new__(cls, enable_timing: bool = False, *_: Any, **__: Any) -> Self:
        """Return an event that has not happened."""
        made = super().__new__(cls, "cpu")
        made._timed, made._at, made._index = enable_timing, None, cls._state.current
        return made

    _timed: bool
    _at: float | None
    _index: int

    @property
    def device(self) -> torch.device:  # type: ignore[override] # torch's is read-only too, its stub writeable
        """The device of the stream that recorded it."""
        return torch.device(self._kind, self._index)

    cuda_event = sycl_event = 0

    def record(self, stream: Any = None) -> None:
        """Record the present time and the stream's device."""
        self._at = time.perf_counter()
        self._index = self._state.current if stream is None else stream.device_index

    # all work is done, and no other process can open it
    wait = synchronize = nothing
    query, ipc_handle = always(True), always(b"")

    def elapsed_time(self, end_event: Any) -> float:
        """Return the host's milliseconds between the two, never 0. Raises as torch does, if either has no time."""
        if not (self._timed and end_event._timed):
            raise ValueError(
                "Both events must be created with argument 'enable_timing=True'."
            )
        if self._at is None or end_event._at is None:
            raise ValueError(
                "Both events must be recorded before calculating elapsed time."
            )
        return max(float(end_event._at - self._at) * 1000, 1e-3)

    def __repr__(self) -> str:
        """Return a representation like torch's."""
        return f"<torch.{self._kind}.Event {'uninitialized' if self._at is None else hex(id(self))}>"


def _choose(state: State, stream: Stream) -> None:
    state.current = stream.device_index
    state.streams[stream.device_index] = stream.stream_id


def classes(kind: str, state: State) -> dict[str, type]:
    """Return `Stream`, `ExternalStream`, `Event` of a machine's devices, and generic `torch.Stream`, `torch.Event`."""
    bound = {"_state": state, "_kind": kind, "__module__": f"torch.{kind}"}
    stream = type("Stream", (Stream,), dict(bound))
    event = type("Event", (Event,), dict(bound))

    def external(
        cls: type[Stream], stream_ptr: int, device: Any = None, **_: Any
    ) -> Any:
        return Stream.__new__(
            cls, stream_id=stream_ptr, device_index=index_of(device, state)
        )

    return {
        "Stream": stream,
        "Event": event,
        "ExternalStream": type(
            "ExternalStream",
            (stream,),
            {"__new__": external, "__module__": f"torch.{kind}"},
        ),
        "torch.Stream": _generic(torch._C.Stream, stream, kind),
        "torch.Event": _generic(torch._C.Event, event, kind),
    }


def _generic(plain: type, virtual: type, kind: str) -> type:
    """Return a class that makes virtual objects for virtual devices, torch's own for others, and knows both."""

    def new(_cls: type, device: Any = None, *args: Any, **kwargs: Any) -> Any:
        by_id = "stream_id" in kwargs and kwargs.get("device_type") == _TYPES[kind]
        if by_id or (device is None and "stream_id" not in kwargs):
            return virtual(*args, **kwargs)
        index = (
            device
            if isinstance(device, int)
            else torch.device(device)
            if device is not None
            else None
        )
        if isinstance(index, torch.device) and index.type != kind:
            return plain(device, *args, **kwargs)
        if plain is torch._C.Stream:
            return virtual(index, *args, **kwargs)
        return virtual(*args, **kwargs)

    return standing_for(plain, new)


def named(made: Mapping[str, type], *owners: object) -> Iterator[Patch]:
    """Patch in the streams and events of `classes`, under every name that reaches them."""
    for name in ("Stream", "Event"):
        yield Patch(torch, name, made[f"torch.{name}"])
        yield from (Patch(owner, name, made[name]) for owner in owners)


class CUDAGraph:
    """`torch.cuda.CUDAGraph` that holds nothing."""

    # the ops of a capture run as they come, once, with the shapes, dtypes and devices of every replay
    capture_begin = capture_end = instantiate = replay = reset = nothing
    enable_debug_mode = debug_dump = nothing

    def __init__(self, keep_graph: bool = False) -> None:
        self.keep_graph = keep_graph

    def pool(self) -> tuple[int, int]:
        """Return a name for no memory."""
        return 0, id(self)


class graph:  # noqa: N801 - torch's name
    """`torch.cuda.graph`: the body of `with` runs on the stream that was asked for."""

    default_capture_stream = None

    def __init__(
        self,
        cuda_graph: CUDAGraph,
        _pool: Any = None,
        stream: Any = None,
        *_: Any,
        **__: Any,
    ) -> None:
        self.cuda_graph = cuda_graph
        self._stream: Any = torch.cuda.stream(stream)

    def __enter__(self) -> None:
        """Run the body."""
        self._stream.__enter__()

    def __exit__(self, *error: object) -> None:
        self._stream.__exit__(*error)


def patches(machine: Machine, state: State) -> Iterator[Patch]:
    """Patch streams and events, under every name that reaches them."""
    made = classes("cuda", state)
    yield from named(made, torch.cuda, torch.cuda.streams)
    for owner in (torch.cuda, torch.cuda.streams):
        yield Patch(owner, "ExternalStream", made["ExternalStream"])
    table = driver("cuda", machine, state)
    external = table["_cuda_getStreamFromExternal"]
    yield from answers(torch._C, table)
    yield Patch(torch._C, "_cuda_getDefaultStream", lambda index: external(0, index))
    yield Patch(torch._C, "_ensureCUDADeviceGuardSet", nothing)
    for owner in (torch._C, torch.cuda.graphs):
        yield Patch(owner, "_cuda_isCurrentStreamCapturing", always(False))
    graphs = {
        "CUDAGraph": CUDAGraph,
        "graph": graph,
        "make_graphed_callables": lambda callables, *_, **__: callables,
        "graph_pool_handle": lambda: (0, state.handle()),
    }
    for owner in (torch.cuda, torch.cuda.graphs):
        yield from answers(owner, graphs)


def driver(kind: str, machine: Machine, state: State) -> dict[str, Any]:
    """Return what the drivers of all GPUs say of streams."""

    def ids(index: int, stream_id: int | None = None) -> tuple[int, int, int]:
        index = state.current if index < 0 else index
        known = state.streams.get(index, 0) if stream_id is None else stream_id
        return known, index, _TYPES[kind]

    def set_stream(*, stream_id: int, device_index: int, device_type: int) -> None:
        if device_type != _TYPES[kind] or device_index >= machine.count:
            raise RuntimeError(
                f"stream of device {device_index}: the machine {machine.spec} has {machine.count}"
            )
        state.current, state.streams[device_index] = device_index, stream_id

    return {
        f"_{kind}_getCurrentStream": ids,
        f"_{kind}_getStreamFromExternal": lambda pointer, index: ids(index, pointer),
        f"_{kind}_getCurrentRawStream": lambda index: ids(index)[0],
        f"_{kind}_setStream": set_stream,
    }
