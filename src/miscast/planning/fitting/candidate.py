"""A precision for each component of a program, and what else saves memory: checkpointing, states, ranks, the host.

>>> Candidate(precisions={"unet": "bf16-mixed", "vae": "32-true"}).policy().to_toml()
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...policy import Policy

FLOAT32 = "32-true"
LIBRARIES = ("bitsandbytes", "torchao")
"""Libraries that have optimizers with 8-bit states."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """`precisions` by component, as `Policy.parse` takes them; all others run in `rest`.

    With `as_it_is` nothing is changed. `checkpointing`: the trained models that have a switch for it, have it on.
    `attention`: transformers attend with torch's kernels, "sdpa", and not by themselves. `states`: the library
    whose 8-bit optimizer steps in the place of the program's. `ranks`: FSDP2 over so many. `host`: what is kept there,
    "optimizer" (states, and the weights that it steps on) or "weights" too.
    """

    precisions: Mapping[str, str] = field(default_factory=dict)
    rest: str = FLOAT32
    checkpointing: bool = False
    as_it_is: bool = False
    states: str = ""
    ranks: int = 1
    attention: str = ""
    host: str = ""

    def of(self, component: str) -> str:
        """Return the precision of a component."""
        return self.precisions.get(component, self.rest)

    def with_(self, component: str, precision: str) -> Candidate:
        """Return the same with another precision of one component."""
        return replace(self, precisions={**self.precisions, component: precision})

    def policy(self) -> Policy:
        """Return the policy for a mapping of the components."""
        from ...policy import Policy

        pairs = self.precisions.items()
        return Policy(overrides={name: Policy.parse(said) for name, said in pairs})

    @property
    def title(self) -> str:
        """The parts that are not float32, in words."""
        if self.as_it_is:
            return "unchanged"
        said = [f"{k} {v}" for k, v in self.precisions.items() if v != FLOAT32]
        said += ["checkpointing"] * self.checkpointing
        said += [f"attention {self.attention}"] * bool(self.attention)
        said += [f"8-bit states ({self.states})"] * bool(self.states)
        said += [f"FSDP2 over {self.ranks}"] * (self.ranks > 1)
        said += [f"{self.host} on the host"] * bool(self.host)
        return ", ".join(said) or "float32"

    @property
    def key(self) -> tuple[object, ...]:
        """A key that is equal for equal candidates."""
        changed = {k: v for k, v in self.precisions.items() if v != self.rest}
        switches = self.checkpointing, self.as_it_is, self.states, self.ranks
        return *sorted(changed.items()), self.rest, *switches, self.attention, self.host

    def bare(self) -> Candidate:
        """Return the candidate without what changes no number: checkpointing, ranks, and offloading to the host."""
        return replace(self, checkpointing=False, ranks=1, host="")

    @property
    def possible(self) -> bool:
        """True if its parts go together: over ranks, and with weights on the host, FSDP2 places all of it."""
        return not (self.host and self.states) and not (
            self.ranks > 1 and self.host == "optimizer"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualFit:
    """On the virtual machine, to the end of so many steps of the optimizer."""

    candidate: Candidate
    steps: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RealFit:
    """On this machine, with a twin in float32; whatever seed the program asks for is shifted by `seed`."""

    candidate: Candidate
    steps: int
    seed: int
