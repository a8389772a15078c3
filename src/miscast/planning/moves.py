"""Changes to a program in float32: the precision of one component, or another way to save memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..core.machines import Machine
from .fitting.candidate import Candidate


@dataclass(frozen=True, slots=True)
class Move:
    """One step down: of a component to a precision, or (without one) of a field of the candidate to a value."""

    component: str
    precision: str = ""
    field: str = ""
    value: bool | int | str = ""

    def of(self, candidate: Candidate) -> Candidate:
        """Return the candidate with it."""
        if self.component:
            return candidate.with_(self.component, self.precision)
        return replace(candidate, **{self.field: self.value})  # type: ignore[arg-type]


CHECKPOINTING = Move("", field="checkpointing", value=True)
ATTENTION = Move("", field="attention", value="sdpa")
THRIFTY = {"checkpointing": False, "states": "", "attention": "", "host": ""}
"""Fields that save memory alone, with what they are where none is to be saved."""


def moves(
    components: Sequence[Mapping[str, Any]], machine: Machine, kept: Mapping[str, str]
) -> Iterator[Move]:
    """Yield moves to dtypes that the machine multiplies in: bfloat16 if native, else float16."""
    half = "bf16" if machine.support("bfloat16") == "native" else "16"
    for one in components:
        if one["name"] in kept:
            continue
        if one["trained"]:
            yield Move(one["name"], f"{half}-mixed")
        yield Move(one["name"], f"{half}-true")
    if any(one["trained"] and one["checkpoints"] == "can" for one in components):
        yield CHECKPOINTING
    if any(one.get("attends") == "eager" for one in components):
        yield ATTENTION
