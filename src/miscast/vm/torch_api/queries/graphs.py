"""CUDA graphs: the body runs as it is met, and a replay has nothing left to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from .answers import answers, nothing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....core.machines import Machine
    from ....running.process.patching import Patch
    from .state import State


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


def patches(_machine: Machine, state: State) -> Iterator[Patch]:
    """Patch the graph functions, under both names."""
    table = {
        "CUDAGraph": CUDAGraph,
        "graph": graph,
        "make_graphed_callables": lambda callables, *_, **__: callables,
        "graph_pool_handle": lambda: (0, state.handle()),
    }
    for owner in (torch.cuda, torch.cuda.graphs):
        yield from answers(owner, table)
