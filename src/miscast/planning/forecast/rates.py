"""Estimated rates of a machine per second, from its data sheet and the share reached, or measured.

>>> rates_of(find("a100")).of("bfloat16", "matmul") / 1e12
224.64
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...core.machines import Machine
from . import reached


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """`products`: operations a second by kind and dtype; `bandwidth`: bytes a second; `least`: seconds of any kernel.

    `plain` are operations a second of what no rate is known of. `moved` are bytes a second by kind and dtype ("" for
    any), where they are not the bandwidth. `source` says whose numbers these are.
    """

    products: Mapping[tuple[str, str], float]
    bandwidth: float
    least: float
    plain: float
    source: str
    moved: Mapping[tuple[str, str], float]
    uneven: Mapping[str, float]
    """Operations a second by dtype of products whose sizes suit no tensor core; of others `plain`."""
    host: float = 0.0
    peers: float = 0.0
    """Bytes a second from and to the host, and among devices; 0: what is moved there costs nothing."""
    call: float = 0.0
    recorded: float = 0.0
    """Seconds that the host takes for a call, without autograd and with it; 0: kernels run where they are called."""

    def of(self, dtype: str, kind: str, *, even: bool = True) -> float:
        """Return operations per second of products in a dtype; if the machine has no rate for it, that of float32."""
        if not even and dtype != "float64":
            return self.uneven.get(dtype, self.plain)
        return self.products.get((kind, dtype), 0.0) or self.plain

    def moves(self, kind: str, dtype: str) -> float:
        """Return bytes per second of kernels that only read and write."""
        for key in ((kind, dtype), (kind, ""), ("", dtype)):
            if key in self.moved:
                return self.moved[key]
        return self.bandwidth


def rates_of(machine: Machine) -> Rates | None:
    """Return the rates from the data sheet; None if there is none."""
    peak = machine.peak
    if peak is None:
        return None
    link = machine.link
    products = reached.products(peak.rates)
    return Rates(
        products=products,
        bandwidth=peak.bandwidth,
        least=reached.LEAST,
        plain=products["matmul", "float32"],
        source=peak.source,
        moved=reached.moves(peak.bandwidth),
        uneven=reached.uneven(peak.rates),
        host=link.host if link is not None else 0.0,
        peers=link.peers if link is not None else 0.0,
        call=reached.CALL,
        recorded=reached.RECORDED,
    )
