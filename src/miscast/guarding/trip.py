"""Describe the failure of a step, as data and as text.

non-finite  step 37: the loss is nan
  log made 4 -inf in float32
    model.py:41  in forward             penalty = torch.log(q)
    in         head
    self       float32 [4, 32]  0 … 0.97, 4 zeros; 0 at the failing element
  it spread to 180 later ops
  replayed in the time of 7.4 steps, bit-identical (loss and gradients)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..core.event import Location

Kind = Literal[
    "non-finite", "ranks-differ", "changed", "exploding", "vanished", "loss-scale", "still",
]  # fmt: skip
SURE = frozenset({"non-finite", "ranks-differ"})
"""Kinds that no healthy training shows. The others are judgements: they are told, and end nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operand:
    """An operand of an op: its range (of what is finite in it), and its value where the result went wrong first."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    low: float
    high: float
    zeros: int = 0
    at: float | None = None

    def __str__(self) -> str:
        zeros = f", {self.zeros} zeros" if self.zeros else ""
        at = f"; {self.at:.6g} at the failing element" if self.at is not None else ""
        span = f"{self.low:.6g}"
        if self.high != self.low:
            span += f" … {self.high:.6g}"
        return f"{self.dtype} {list(self.shape)}  {span}{zeros}{at}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Producer:
    """The first op whose result is not finite though its operands are; or a tensor that came into the step so."""

    op: str
    """The op's name in torch: "log", "div"; "" for a tensor that no op of the step created."""
    node: str = ""
    """The node of the backward pass that has the formula: "SqrtBackward0"."""
    tensor: str = ""
    """The step's input: "the parameter head.weight"."""
    location: Location | None = None
    """The user's line; of a node, the line whose backward pass it is."""
    library: Location | None = None
    module: str = ""
    operands: tuple[Operand, ...] = ()
    dtype: str = ""
    nan: int = 0
    positive: int = 0
    negative: int = 0

    def lines(self) -> list[str]:
        """Return the lines of the text report."""
        told = [self._head()]
        for place in (self.location, self.library):
            if place is not None:
                at = f"{place.file}:{place.line}  in {place.function}"
                told.append(f"  {at:<34}  {place.code}")
        if self.module:
            told.append(f"  {'in':<9}  {self.module}")
        return told + [f"  {one.name:<9}  {one}" for one in self.operands]

    def _head(self) -> str:
        counts = ((self.nan, "nan"), (self.positive, "inf"), (self.negative, "-inf"))
        made = " and ".join(f"{n:,} {name}" for n, name in counts if n)
        if not self.op:
            return f"{self.tensor} had {made or 'nan'} before the step"
        backward = f", in the backward pass of the line below ({self.node})"
        where = backward if self.node else ""
        return f"{self.op} made {made} in {self.dtype}{where}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerun:
    """The step, run again under full instrumentation."""

    producers: tuple[Producer, ...] = ()
    """The first of those that reached what tripped; then the others."""
    carried: int = 0
    """Number of ops that only propagated it."""
    ops: int = 0
    seconds: float = 0.0
    steps: float = 0.0
    """The same, in times of a step."""
    equal: bool | None = None
    """True if loss and gradients were bit-identical; None if there was nothing to compare with."""
    compared: str = ""
    failed: str = ""
    """The reason for no rerun, in one line."""

    def lines(self) -> list[str]:
        """Return the lines of the text report."""
        if self.failed and not self.producers:
            return [f"not replayed: {self.failed}"]
        told = [line for one in self.producers[:2] for line in one.lines()]
        if len(self.producers) > 2:
            told.append(
                f"and {len(self.producers) - 2} more ops made some independently"
            )
        if self.carried:
            told.append(f"it spread to {self.carried:,} later ops")
        bits = {
            True: f"bit-identical ({self.compared})",
            False: f"not bit-identical ({self.compared}): this may be a different case",
            None: "with nothing to compare",
        }[self.equal]
        told.append(f"replayed in the time of {self.steps:.1f} steps, {bits}")
        return told + ([self.failed] if self.failed else [])


@dataclass(frozen=True, slots=True, kw_only=True)
class Trip:
    """An alarm of a guard.

    Attributes:
        kind: What went wrong: "non-finite", "ranks-differ", "exploding", ...
        step: The number of the step.
        what: The message, such as "the loss is nan".
        help: What to change.
        rerun: The result of running the step again, with the ops that made the first NaN or infinity.
        late: Whether the update of the step was already made.
    """

    kind: Kind
    step: int
    what: str
    help: str = ""
    rerun: Rerun | None = None
    late: bool = False

    @property
    def sure(self) -> bool:
        """True if it never happens in a correct training run."""
        return self.kind in SURE

    def __str__(self) -> str:
        told = self.rerun.lines() if self.rerun else []
        if self.help:
            told.append(f"help: {self.help}")
        late = ", found after its update" if self.late and self.sure else ""
        return "\n  ".join([f"{self.kind}  step {self.step}: {self.what}{late}", *told])


class TrippedError(RuntimeError):
    """A guard's alarm, raised before the update of the step unless the alarm is late.

    Attributes:
        trip: The alarm.
    """

    def __init__(self, trip: Trip) -> None:
        super().__init__(str(trip))
        self.trip = trip
