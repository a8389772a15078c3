"""Transfer rates of a device: from the host over PCI Express, and from its neighbours.

>>> link_of("a100").host
31500000000.0
"""

from __future__ import annotations

from collections.abc import Mapping

from ..frozen import dataclass

_GIGA = 1e9
_PCIE = {3: 15.75, 4: 31.5, 5: 63.0}
"""GB/s of sixteen lanes, each way: 8, 16 and 32 GT/s a lane, of which 128 of 130 bits are data (PCI Express base
specification, revisions 3, 4, 5)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """Bytes a second each way: `host` from and to the host, `peers` among the devices of one board or bridge.

    `peers` is that of the host's link where no other is known. `source` says of what kind they are.
    """

    host: float
    peers: float
    source: str


_GENERATIONS: Mapping[str, int] = {
    "p100": 3, "p40": 3, "t4": 3, "v100": 3, "v100-32": 3, "rtx2080ti": 3,
    "a10": 4, "a100": 4, "a100-80": 4, "a6000": 4, "l4": 4, "l40s": 4, "rtx3060": 4, "rtx3090": 4, "rtx4090": 4,
    "mi100": 4, "mi250x": 4,
    "h100": 5, "h200": 5, "b200": 5, "rtx5090": 5, "mi300x": 5,
}  # fmt: skip
"""PCI Express generations, by the data sheets in `peak`."""
_NVLINK: Mapping[str, float] = {
    "v100": 300, "v100-32": 300, "a100": 600, "a100-80": 600, "h100": 900, "h200": 900, "b200": 1800,
}  # fmt: skip
"""GB/s both ways together, by the same sheets."""


def link_of(machine: str) -> Link | None:
    """Return the link by the machine's name; None if none is known, or memory is shared with the host."""
    generation = _GENERATIONS.get(machine)
    if generation is None:
        return None
    host = _PCIE[generation] * _GIGA
    nvlink = _NVLINK.get(machine, 0.0) / 2 * _GIGA
    beside = f", NVLink {_NVLINK[machine]:g} GB/s" if nvlink else ""
    return Link(
        host=host,
        peers=nvlink or host,
        source=f"PCI Express {generation}.0 x16{beside}",
    )
