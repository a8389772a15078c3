"""One op that ran, with its operands and results, each beside what it is in float64."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from .loss import Loss
from .numbers import distance
from .precision import EXACT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ...core.event import Location
    from .plan import Plan
    from .precision import Precision
    from .record import Record
    from .site import Site


@dataclass(slots=True, kw_only=True, eq=False)
class Operand:
    """A tensor that an op read: as it really was, `low` in float64, and its shadow `wide`."""

    name: str
    tensor: torch.Tensor
    record: Record | None
    low: torch.Tensor
    wide: torch.Tensor

    @property
    def error(self) -> float:
        """The distance of the real operand from its shadow, measured now."""
        if self.record is None or self.record.wide is None:
            return 0.0
        return distance(self.low, self.wide)

    @property
    def is_float(self) -> bool:
        """True if its dtype rounds."""
        return self.tensor.is_floating_point()


@dataclass(slots=True, kw_only=True, eq=False)
class Result:
    """A tensor that an op gave or changed. `before`: what stood there, where it was changed.

    `finite`: it is, and so is its shadow; `error` is that of the elements of which both are.
    """

    tensor: torch.Tensor
    low: torch.Tensor
    wide: torch.Tensor
    before: torch.Tensor | None
    index: int
    error: float = 0.0
    finite: bool = True

    @property
    def was_integer(self) -> bool:
        """True if the exact numbers are integers that float64 does not hold."""
        return self.wide.dtype == torch.int64

    def measure(self) -> None:
        """Measure the distance of the real result from its shadow, over the elements where both are finite."""
        wide = self.wide.double() if self.was_integer else self.wide
        self.error = distance(self.low, wide)
        # a NaN or an infinity in either makes the distance one
        self.finite = math.isfinite(self.error) or bool(
            torch.isfinite(self.low).all() & torch.isfinite(self.wide).all()
        )
        if not self.finite:
            finite = torch.isfinite(self.low) & torch.isfinite(self.wide)
            self.error = distance(self.low[finite], self.wide[finite])


@dataclass(slots=True, kw_only=True, eq=False)
class Call:
    """`inherited` is the largest error among the operands, as it was when each came about.

    `behind` gives, in a backward pass, the line whose gradient is computed.
    """

    func: Callable[..., Any]
    plan: Plan
    bound: Mapping[str, Any]
    site: Site
    operands: Sequence[Operand]
    results: Sequence[Result]
    rerun: Callable[[], Sequence[torch.Tensor] | None]
    inherited: float = 0.0
    culprit: Site | None = None
    source: Site | None = None
    behind: Callable[[], Location | None] = lambda: None
    _exact: Sequence[torch.Tensor] | None = field(default=None, repr=False)

    @property
    def op(self) -> str:
        """The op's name."""
        return self.plan.op

    @property
    def forward(self) -> Location | None:
        """The forward line whose backward formula is running, if any."""
        return self.behind()

    def exact(self, result: Result) -> torch.Tensor | None:
        """Return the result as the op would give it in float64 for the operands that it really had.

        Its own error apart.
        """
        if self.inherited == 0 and self.culprit is None:
            return result.wide
        if self._exact is None:
            self._exact = self.rerun() or ()
        return self._exact[result.index] if result.index < len(self._exact) else None

    def marked(self, mark: Callable[[Record], Site | None]) -> Site | None:
        """Return what the first operand's record says that has such a mark."""
        marks = (mark(one.record) for one in self.operands if one.record is not None)
        return next(filter(None, marks), None)

    def records(self) -> Iterator[Record]:
        """Return the records of the operands that round."""
        return (one.record for one in self.floats() if one.record is not None)

    def summed(self, key: object) -> Operand | None:
        """Return the operand in which something was added up under such a key."""
        known = (one for one in self.floats() if one.record and key in one.record.sums)
        return next(known, None)

    def loss(  # noqa: PLR0913 - what a loss has
        self,
        says: str,
        *,
        rule: str = "",
        form: str = "",
        weight: float = 1.0,
        at: Site | None = None,
        also: tuple[tuple[str, Site], ...] = (),
    ) -> Loss:
        """Return a loss in this call, or `at` another place, by the rule that asks if it names none."""
        site = at or self.site
        return Loss(
            rule=rule, site=site, says=says, form=form, weight=weight, also=also
        )

    def floats(self) -> Iterator[Operand]:
        """Return the operands that round."""
        return (one for one in self.operands if one.is_float)


def tensors(value: Any) -> Iterator[torch.Tensor]:
    """Yield all tensors in an argument."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from tensors(one)


def replaced(
    value: Any, by: Callable[[torch.Tensor], torch.Tensor], precision: Precision = EXACT
) -> Any:
    """Return the argument with tensors replaced by `by`; dtypes become the shadow's, float64 for those that round."""
    if isinstance(value, torch.Tensor):
        return by(value)
    if isinstance(value, torch.dtype):
        return precision.of(value)
    if isinstance(value, (list, tuple)):
        return type(value)([replaced(one, by, precision) for one in value])
    return value
