"""Properties of a GPU's multiprocessors by architecture, as in `torch.cuda.get_device_properties`."""

from __future__ import annotations

from typing import NamedTuple

_KIB = 1 << 10


class Architecture(NamedTuple):
    """The properties shared by an architecture's chips."""

    threads: int
    """Threads that a multiprocessor holds."""
    shared: int
    """Bytes of shared memory of a multiprocessor."""
    block: int
    """Bytes of shared memory that a block may ask for (opt-in)."""
    cache: int
    """Bytes of second-level cache."""


ARCHITECTURES = {
    "sm_60": Architecture(2048, 64 * _KIB, 48 * _KIB, 4096 * _KIB),
    "sm_61": Architecture(2048, 96 * _KIB, 48 * _KIB, 3072 * _KIB),
    "sm_70": Architecture(2048, 96 * _KIB, 96 * _KIB, 6144 * _KIB),
    "sm_75": Architecture(1024, 64 * _KIB, 64 * _KIB, 4096 * _KIB),
    "sm_80": Architecture(2048, 164 * _KIB, 163 * _KIB, 40_960 * _KIB),
    "sm_86": Architecture(1536, 100 * _KIB, 99 * _KIB, 6144 * _KIB),
    "sm_89": Architecture(1536, 100 * _KIB, 99 * _KIB, 49_152 * _KIB),
    "sm_90": Architecture(2048, 228 * _KIB, 227 * _KIB, 51_200 * _KIB),
    "sm_100": Architecture(2048, 228 * _KIB, 227 * _KIB, 129_536 * _KIB),
    "sm_120": Architecture(1536, 100 * _KIB, 99 * _KIB, 98_304 * _KIB),
    "gfx908": Architecture(2560, 64 * _KIB, 64 * _KIB, 8192 * _KIB),
    "gfx90a": Architecture(2048, 64 * _KIB, 64 * _KIB, 8192 * _KIB),
    "gfx942": Architecture(2048, 64 * _KIB, 64 * _KIB, 4096 * _KIB),
}
"""CUDA C++ programming guide, 'Technical Specifications per Compute Capability'; AMD: ROCm's GPU architecture table."""
