"""What may be changed of a program in float32, one component at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..fitting.candidate import Candidate
from ..machines import Machine


@dataclass(frozen=True, slots=True)
class Move:
    """One step down: of a component to a precision, or (without one) to checkpointing."""

    component: str
    precision: str

    def of(self, candidate: Candidate) -> Candidate:
        """The candidate with it."""
        if not self.component:
            return replace(candidate, checkpointing=True)
        return candidate.with_(self.component, self.precision)

    @property
    def title(self) -> str:
        """In a row of the table."""
        return (
            f"{self.component} {self.precision}" if self.component else "checkpointing"
        )


def moves(
    components: Sequence[Mapping[str, Any]], machine: Machine, kept: Mapping[str, str]
) -> Iterator[Move]:
    """Those that the machine multiplies in: bfloat16 where it is at home, else float16."""
    half = "bf16" if machine.support("bfloat16") == "native" else "16"
    for one in components:
        if one["name"] in kept:
            continue
        if one["trained"]:
            yield Move(one["name"], f"{half}-mixed")
        yield Move(one["name"], f"{half}-true")
    if any(one["trained"] and one["checkpoints"] == "can" for one in components):
        yield Move("", "")
