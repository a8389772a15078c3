"""One machine that a program can be checked on: what it is, what torch answers there, and where each fact comes from.

>>> Machine(name="v100", title="Tesla V100-SXM2-16GB", …).support("bfloat16")
'emulated'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ..frozen import dataclass, field
from .link import Link, link_of
from .peak import Peak, peak_of

if TYPE_CHECKING:
    from collections.abc import Mapping

DeviceKind = Literal["cpu", "cuda", "hpu", "mps", "npu", "xla", "xpu"]
_UNSEEN = ("hpu", "xla")
"""Device types whose plug-ins change what torch does with a program too much for it to be shown without them."""
Support = Literal["native", "emulated", "storage", "missing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """A machine of `count` equal devices; all facts are of one device.

    What a dtype can do there, from most to least:

    - `native`: the hardware multiplies matrices in it.
    - `emulated`: torch runs every op, converting to another dtype on the way: right numbers, slow.
    - `storage`: tensors can be made, kept and converted; a matrix product in it raises.
    - `missing`: a tensor of it cannot be made there. ("tf32" is a switch and no tensor's dtype: it has no effect.)

    So a rule may speak of `missing` and `emulated` where a program *chose* the dtype, and of `storage` only where it
    *multiplies* in it: float8 weights that are converted before each product are at home on every GPU.
    """

    name: str
    """Its name for `--machine`: "v100"."""
    title: str
    """Its name in torch: `torch.cuda.get_device_name()`."""
    device: DeviceKind
    aliases: tuple[str, ...] = ()
    count: int = 1
    capability: tuple[int, int] | None = None
    """`torch.cuda.get_device_capability()`; None where torch has no such number."""
    arch: str = ""
    """The target that code is compiled for: "sm_70", "gfx942"; empty if torch reports none."""
    memory: int = 0
    """Bytes of one device, as torch reports them (a little under the data sheet); 0: not stated."""
    processors: int = 0
    """Multiprocessors, compute units or GPU cores of one device; 0: not stated."""
    native: tuple[str, ...] = ()
    emulated: tuple[str, ...] = ()
    storage: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    hip: bool = False
    """True where torch's `cuda` is ROCm's HIP."""
    sources: Mapping[str, str] = field(default_factory=dict, hash=False, repr=False)
    """Source of each fact, by field name or dtype."""

    @property
    def virtual(self) -> bool:
        """True if a program can be checked on it; else it is known to what judges settings alone."""
        return self.device not in _UNSEEN

    @property
    def spec(self) -> str:
        """The value for `--machine`: "v100", "4xv100"."""
        return self.name if self.count == 1 else f"{self.count}x{self.name}"

    def support(self, dtype: str) -> Support:
        """Return what `dtype` (canonical name) can do here.

        Where nothing is stated it counts as native, so no finding.
        """
        if dtype in self.missing:
            return "missing"
        if dtype in self.storage:
            return "storage"
        return "emulated" if dtype in self.emulated else "native"

    @property
    def peak(self) -> Peak | None:
        """The peak rates of one device from its data sheet; None if there is none."""
        return peak_of(self.name)

    @property
    def link(self) -> Link | None:
        """The transfer rates to one device; None if unknown, or if it shares the host's memory."""
        return link_of(self.name)

    def source(self, fact: str) -> str:
        """Return the source of a fact: the dtype's own source, else that of the list that contains it."""
        if fact in self.sources:
            return self.sources[fact]
        return self.sources.get(self.support(fact), "")
