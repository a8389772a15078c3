"""What a machine is taken to do in a second: by its data sheet, or as measured here.

>>> rates_of(find("a100")).of("bfloat16")
312000000000000.0
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..machines import Machine

LAUNCH = 5e-6
"""Seconds from the host for a kernel that is launched alone: the order that CUDA's launch latency has; a GPU is never
faster than its host calls it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """`products`: operations a second by dtype; `bandwidth`: bytes a second; `launch`: seconds before each kernel.

    `plain` is the rate of what tensor cores do not take. `casts` are bytes a second of elementwise kernels by dtype,
    where they are not the bandwidth. `source` says whose numbers these are.
    """

    products: Mapping[str, float]
    bandwidth: float
    launch: float
    plain: float
    source: str
    casts: Mapping[str, float]
    kinds: Mapping[tuple[str, str], float]
    """A rate of its own for products of a kind in a dtype, where it was measured."""
    host: float = 0.0
    peers: float = 0.0
    """Bytes a second from and to the host, and among devices; 0: what is moved there costs nothing."""

    def of(self, dtype: str, kind: str = "", *, even: bool = True) -> float:
        """Operations a second of products in a dtype: what the machine has no rate of, it does as float32."""
        if not even and dtype != "float64":
            return self.plain
        own = self.kinds.get((kind, dtype))
        return own or self.products.get(dtype, 0.0) or self.plain

    def moves(self, dtype: str) -> float:
        """Bytes a second of what only reads and writes."""
        return self.casts.get(dtype, self.bandwidth)


def rates_of(machine: Machine) -> Rates | None:
    """By the data sheet; None where none is known of it."""
    peak = machine.peak
    if peak is None:
        return None
    link = machine.link
    return Rates(
        products=peak.rates,
        bandwidth=peak.bandwidth,
        launch=LAUNCH,
        plain=peak.rates["float32"],
        source=peak.source,
        casts={},
        kinds={},
        host=link.host if link is not None else 0.0,
        peers=link.peers if link is not None else 0.0,
    )
