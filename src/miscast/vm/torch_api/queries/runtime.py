"""Stand-ins for the two C libraries that programs reach through torch.cuda: the CUDA runtime and NVTX."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from .answers import always, nothing
from .memory import info

if TYPE_CHECKING:
    from ....core.machines import Machine
    from .state import State


class _Error(int):
    """`cudaError`: every call succeeds."""

    success = 0


class Runtime:
    """`torch.cuda.cudart()`: it knows the memory; everything else (registering, profiling) succeeds at once."""

    cudaError = _Error  # noqa: N815 - the runtime's name

    def __init__(self, machine: Machine, state: State) -> None:
        """Start the runtime of one machine."""
        self.cudaMemGetInfo = partial(info, machine, state)

    def cudaGetErrorString(self, error: int) -> str:  # noqa: N802 - the runtime's name
        """Return no error ever comes from here."""
        return f"no error ({int(error)})"

    def __getattr__(self, name: str) -> Any:
        """Return a function that returns 0, for any other function of the runtime."""
        if not name.startswith("cuda"):
            raise AttributeError(name)
        return lambda *_: 0


class Nvtx:
    """`torch._C._nvtx`: nobody profiles, so ranges only count how deep they are."""

    def __init__(self) -> None:
        self._depth = 0

    def rangePushA(self, _message: str) -> int:  # noqa: N802 - NVTX's name
        """Return the depth of the range that starts."""
        self._depth += 1
        return self._depth - 1

    def rangePop(self) -> int:  # noqa: N802 - NVTX's name
        """Return the depth of the range that ends."""
        self._depth -= 1
        return self._depth

    rangeStartA = deviceRangeStart = always(1)  # noqa: N815 - NVTX's names; a handle
    rangeEnd = markA = deviceRangeEnd = nothing  # noqa: N815 - NVTX's names
