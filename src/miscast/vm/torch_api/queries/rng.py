"""Random numbers of virtual devices: seeds, offsets and states that go round; few numbers are drawn, on the CPU."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch

from ....running.process.patching import Patch
from .answers import standing_for
from .device import index_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....core.machines import Machine
    from .state import State

_SEED = 67_280_421_310_721  # c10/core/GeneratorImpl.h, default_rng_seed_val
_BYTES = 8
_MARK = 0x4D49_5343_4153_5400
"""The seed of the C++ generator under every virtual one: an op gets that, wrapped anew, and must know it again."""


class VirtualGenerator(torch._C.Generator):
    """A generator of a virtual device. To torch it is a CPU generator, so an op on the CPU or on meta takes it.

    Its state is CUDA's: 16 bytes, seed and Philox offset, in a ByteTensor on the CPU.
    """

    _device: torch.device
    _seed: int
    _offset: int

    @property
    def device(self) -> torch.device:  # type: ignore[override] # torch has a read-only attribute, its stub a writeable one
        """The virtual device."""
        return self._device

    def manual_seed(self, seed: int) -> VirtualGenerator:
        """Start again from a seed; a negative one counts from the end, as in torch."""
        if isinstance(seed, bool) or not hasattr(seed, "__index__"):
            raise RuntimeError(
                f"manual_seed expected a long, but got {type(seed).__name__}"
            )
        if not -(1 << 63) <= seed < 1 << 64:
            raise RuntimeError(f"Overflow when unpacking long long: seed {seed}")
        self._seed, self._offset = seed % (1 << 64), 0
        return self

    def seed(self) -> int:
        """Start again from a random seed."""
        self.manual_seed(int.from_bytes(os.urandom(_BYTES), "little"))
        return self._seed

    def initial_seed(self) -> int:
        """Return the seed it started from."""
        return self._seed

    def get_offset(self) -> int:
        """Return the Philox offset."""
        return self._offset

    def set_offset(self, offset: int) -> VirtualGenerator:
        """Go to a Philox offset."""
        if offset % 4:
            raise RuntimeError(f"offset must be a multiple of 4, got {offset}")
        self._offset = offset
        return self

    def get_state(self) -> torch.Tensor:
        """Seed and offset, 16 bytes of uint8."""
        packed = self._seed.to_bytes(_BYTES, "little") + self._offset.to_bytes(
            _BYTES, "little"
        )
        return torch.frombuffer(bytearray(packed), dtype=torch.uint8)

    def set_state(self, new_state: torch.Tensor) -> VirtualGenerator:
        """Go to a state. One without data, or of another length (a CPU generator's), is taken for the present one.

        Raises TypeError, as torch does, if the state is not of uint8 or was moved to a device.
        """
        if new_state.dtype != torch.uint8 or new_state.device.type != "cpu":
            raise TypeError("RNG state must be a torch.ByteTensor")
        packed = bytes(new_state.tolist())
        if len(packed) == 2 * _BYTES:
            self._seed = int.from_bytes(packed[:_BYTES], "little")
            self._offset = int.from_bytes(packed[_BYTES:], "little")
        return self

    def clone_state(self) -> VirtualGenerator:
        """Return another generator in the same state."""
        return restored(type(self), str(self._device), self._seed, self._offset)

    graphsafe_get_state = clone_state

    def graphsafe_set_state(self, state: torch._C.Generator) -> VirtualGenerator:
        """Go to another generator's state."""
        self._seed, self._offset = state.initial_seed(), state.get_offset()
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle it with its device and state."""
        return restored, (type(self), str(self._device), self._seed, self._offset)

    def __repr__(self) -> str:
        """Return a representation like torch's."""
        return f"<torch._C.Generator device={self._device}>"


def restored(
    cls: type[VirtualGenerator], device: str, seed: int = _SEED, offset: int = 0
) -> VirtualGenerator:
    """Return a generator of a virtual device, in a state."""
    made = cls()
    made._device, made._seed, made._offset = torch.device(device), seed, offset
    torch._C.Generator.manual_seed(made, _MARK)
    return made


def is_virtual(generator: torch._C.Generator) -> bool:
    """Check whether a generator, as an op gets it, is one of a virtual device."""
    return torch._C.Generator.initial_seed(generator) == _MARK


def default_generator(kind: str, state: State, index: int) -> VirtualGenerator:
    """Return the device's own generator, made at the first request."""
    if index not in state.generators:
        state.generators[index] = restored(VirtualGenerator, f"{kind}:{index}")
    return state.generators[index]


@contextmanager
def drawing(state: State, device: torch.device) -> Iterator[None]:
    """Draw the device's next numbers on the CPU within the block; the same seed gives the same numbers."""
    own = default_generator(device.type, state, device.index or 0)
    base = torch.default_generator
    before = torch._C.Generator.get_state(base)
    torch._C.Generator.manual_seed(
        base, (own.initial_seed() + own.get_offset()) % (1 << 63)
    )
    own.set_offset(own.get_offset() + 4)
    try:
        yield
    finally:
        torch._C.Generator.set_state(base, before)


def _generator_class(kind: str, state: State) -> type:
    """Return a `torch.Generator` that makes virtual generators for `kind`; any generator is its instance."""

    def new(_cls: type, device: Any = "cpu") -> torch._C.Generator:
        wanted = (
            torch.device(kind, device)
            if isinstance(device, int)
            else torch.device(device)
        )
        if wanted.type != kind:
            return torch._C.Generator(device)
        return restored(VirtualGenerator, f"{kind}:{index_of(wanted, state)}")

    return standing_for(torch._C.Generator, new)


def patches(machine: Machine, state: State) -> Iterator[Patch]:
    """Patch the generators; `torch.cuda.manual_seed`, `get_rng_state`, `fork_rng` then work by torch's own code."""
    kind = machine.device
    yield Patch(torch, "Generator", _generator_class(kind, state))
    every = tuple(
        default_generator(kind, state, index) for index in range(machine.count)
    )
    if kind == "cuda":
        yield Patch(torch.cuda, "default_generators", every)
    elif kind == "xpu":
        yield Patch(torch.xpu, "default_generators", every)
    elif kind == "mps":
        yield Patch(torch.mps, "_default_mps_generator", every[0])
        yield Patch(torch._C, "_mps_get_default_generator", lambda: every[0])
