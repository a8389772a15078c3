"""`torch.cuda.get_device_properties`: the fields that torch 2.13 has, from the machine's data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....core.machines.architectures import ARCHITECTURES

if TYPE_CHECKING:
    from ....core.machines import Machine

_KIB = 1 << 10


@dataclass(frozen=True, kw_only=True)
class DeviceProperties:
    """One device, under the names of `torch.cuda._CudaDeviceProperties`."""

    name: str
    major: int
    minor: int
    total_memory: int
    multi_processor_count: int
    gcnArchName: str  # noqa: N815 - torch's name
    warp_size: int
    max_threads_per_multi_processor: int
    shared_memory_per_multiprocessor: int
    shared_memory_per_block_optin: int
    L2_cache_size: int
    shared_memory_per_block: int = 48 * _KIB
    regs_per_multiprocessor: int = 65_536
    max_threads_per_block: int = 1024
    is_integrated: int = 0
    is_multi_gpu_board: int = 0
    clock_rate: int = 0
    memory_clock_rate: int = 0
    memory_bus_width: int = 0
    pci_bus_id: int = 0
    pci_device_id: int = 0
    pci_domain_id: int = 0
    uuid: str = ""

    def __repr__(self) -> str:
        """Return a representation like torch's."""
        mib = self.total_memory >> 20
        return (
            f"_CudaDeviceProperties(name='{self.name}', major={self.major}, minor={self.minor}, total_memory={mib}MB, "
            f"multi_processor_count={self.multi_processor_count}, uuid={self.uuid}, "
            f"L2_cache_size={self.L2_cache_size >> 20}MB)"
        )


def properties(machine: Machine) -> tuple[DeviceProperties, ...]:
    """Return one per device; devices differ in their bus number and uuid only."""
    major, minor = machine.capability or (0, 0)
    # an NPU, which tells none of these numbers, has no architecture
    chip = ARCHITECTURES[machine.arch or "sm_80"]
    return tuple(
        DeviceProperties(
            name=machine.title,
            major=major,
            minor=minor,
            total_memory=machine.memory,
            multi_processor_count=machine.processors,
            gcnArchName=f"{machine.arch}:sramecc+:xnack-"
            if machine.hip
            else machine.title,
            warp_size=64 if machine.hip else 32,
            max_threads_per_multi_processor=chip.threads,
            shared_memory_per_multiprocessor=chip.shared,
            shared_memory_per_block_optin=chip.block,
            L2_cache_size=chip.cache,
            pci_bus_id=index + 1,
            uuid=f"00000000-0000-0000-0000-{index:012d}",
        )
        for index in range(machine.count)
    )
