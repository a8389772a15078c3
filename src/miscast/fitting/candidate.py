"""A precision for each component of a program, and whether activations are computed anew in backward.

>>> Candidate(precisions={"unet": "bf16-mixed", "vae": "32-true"}).policy().to_toml()
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..policy import Policy

FLOAT32 = "32-true"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """`precisions` by component, as `Policy.parse` takes them; all others run in `rest`.

    With `as_it_is` nothing is changed. `checkpointing`: the trained models that have a switch for it, have it on.
    """

    precisions: Mapping[str, str] = field(default_factory=dict)
    rest: str = FLOAT32
    checkpointing: bool = False
    as_it_is: bool = False

    def of(self, component: str) -> str:
        """The precision of a component."""
        return self.precisions.get(component, self.rest)

    def with_(self, component: str, precision: str) -> Candidate:
        """The same with another precision of one component."""
        return replace(self, precisions={**self.precisions, component: precision})

    def policy(self) -> Policy:
        """The policy for a mapping of the components."""
        from ..policy import Policy

        pairs = self.precisions.items()
        return Policy(overrides={name: Policy.parse(said) for name, said in pairs})

    @property
    def title(self) -> str:
        """What is not float32 of it."""
        if self.as_it_is:
            return "as it is"
        said = [f"{k} {v}" for k, v in self.precisions.items() if v != FLOAT32]
        said += ["checkpointing"] * self.checkpointing
        return ", ".join(said) or "float32"

    @property
    def key(self) -> tuple[object, ...]:
        """What two candidates have in common that are the same."""
        changed = {k: v for k, v in self.precisions.items() if v != self.rest}
        return (*sorted(changed.items()), self.rest, self.checkpointing, self.as_it_is)
