"""Values where they are known: small tensors keep their numbers, so that programs which steer by them go on working.

A record's `twin` is a real storage beside the data-less one. An op whose operands all have twins is also run on them;
small integer and boolean results of unknown operands get a stand-in, once, so that all that follows from it agrees.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import torch

from ..key import Exclude
from ..provenance import factories
from ..provenance.record import Record, find, is_tensor, view_of
from ..virtualize import is_small
from .answers import Answers
from .asked_expression import Sources
from .data_dependent import DataDependent
from .health import PREDICATES, all_steady, compared, most, truly_known, uniform
from .host_reads import HostReads
from .indices import Indices
from .known_storage import BELOW_AUTOCAST, keep, known, tensors_in, written
from .limits import limits
from .stand_ins import TESTS, guess

if TYPE_CHECKING:
    from ..call import Call
    from ..judging.recorder import Recorder

UNKNOWN = object()
_DECIDES = {
    **dict.fromkeys(("and", "iand", "bitwise_and", "logical_and"), False),
    **dict.fromkeys(("or", "ior", "bitwise_or", "logical_or"), True),
}
_OVERWRITES = frozenset({
    "random_", "uniform_", "normal_", "bernoulli_", "fill_", "zero_", "exponential_", "geometric_",
})  # fmt: skip
_COMPARISONS = {
    "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
}  # fmt: skip
_HEALTH = PREDICATES.keys() | _COMPARISONS.keys() | {"eq", "ne"}


class Values:
    """Follows values through ops."""

    keep = staticmethod(keep)

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        sources = Sources()
        self.answers = Answers(recorder, sources)
        self.indices = Indices(sources)
        self.reads = HostReads(recorder, self.answers)
        self.data_dependent = DataDependent(recorder, self.answers, self.reads)
        self.hosted = self.reads.hosted
        self.dependent = self.data_dependent.run
        self.stand_in = self.data_dependent.stand_in

    def follow(self, call: Call, out: Any) -> None:
        """Update the values of an op's results and of what it wrote, after it ran on meta tensors."""
        if self.data_dependent.settled() or (
            call.plan.short in _HEALTH and self.settle(call, out)
        ):
            return
        if (
            call.known
            and not _tests_stand_ins(call)
            and all(map(is_small, (*call.tensors, *tensors_in(out))))
        ):
            real = self.run(call)
            if real is not UNKNOWN:
                self._keep_all(call, out, real)
                return
        _spoil(call)
        self._stand_in_for(call, out)

    def settle(self, call: Call, out: Any) -> bool:
        """Give a predicate of health its answer, unless all values are known; whether it was given."""
        if (
            not is_tensor(out)
            or out.dtype is not torch.bool
            or truly_known(call.records)
        ):
            return False
        answer, steady = PREDICATES.get(call.plan.short, (compared(call), True))
        record = find(out)
        if answer is None or record is None or record in call.records:
            return False
        if is_small(out):
            keep(out, factories.full(out.shape, answer), assumed=True)
        record.steady = answer if steady else None
        return True

    def run(self, call: Call) -> Any:
        """Return the op's result on the values of its operands, which must all be known; or UNKNOWN."""
        try:
            with torch.no_grad(), Exclude(BELOW_AUTOCAST):
                return call.on_cpu(known)
        except (RuntimeError, IndexError, TypeError, ValueError) as error:
            self._recorder.met(error)
            return UNKNOWN  # the CPU has no such kernel, or a stand-in was no valid index: the value is unknown then

    def _keep_all(self, call: Call, out: Any, real: Any) -> None:
        """Keep the values of an op's results, and mark what it wrote in place if a placeholder went into it."""
        assumed = any(r.assumed for r in call.records) and not _certain(call)
        for virtual, value in zip(tensors_in(out), tensors_in(real), strict=False):
            record = find(virtual)
            if record is None:
                continue
            if record not in call.records:
                keep(virtual, value, assumed=assumed)
                if assumed:
                    self._tell(call, virtual, record)
            elif call.plan.short in _OVERWRITES:
                record.assumed = False
            elif assumed:
                record.assumed = (
                    True  # `alive &= near`: a stand-in was written into what was known
                )

    def _stand_in_for(self, call: Call, out: Any) -> None:
        """Set placeholders for the results of unknown operands."""
        says = None if call.known else self._compared(call)
        if says is not None:
            keep(out, factories.full(out.shape, says), assumed=True)
            return
        within = limits(call)
        for number, virtual in enumerate(tensors_in(out)):
            record = find(virtual)
            if record is None or record.twin is not None:
                continue
            if call.plan.view or not number:
                record.limits = within
            if record not in call.records and not (within and call.plan.view):
                guess(virtual, call, self.answers)
                self._tell(call, virtual, record)

    def _compared(self, call: Call) -> bool | None:
        """Return the result of a comparison of single numbers of which one is unknown, by their placeholders."""
        compare = _COMPARISONS.get(call.plan.short)
        if compare is None or any(
            t.numel() != 1 or not t.is_floating_point() for t in call.tensors
        ):
            return None
        if len(call.tensors) == 2 and all(r.twin is None for r in call.records):
            # `assert low <= high`: neither is later than the other
            return bool(compare(1.0, 1.0))
        return bool(
            compare(
                *(self.reads.scalar(a) if is_tensor(a) else a for a in call.args[:2])
            )
        )

    def _tell(self, call: Call, virtual: torch.Tensor, record: Record) -> None:
        """Record more about a placeholder: if it is steady, if it could differ, how far it counts."""
        if all_steady(call.records):
            says = uniform(call)
            if says is not None and is_small(virtual):
                keep(virtual, factories.full(virtual.shape, says), assumed=True)
            record.steady = bool(call.records[0].steady) if says is None else says
        elif call.plan.short in TESTS and virtual.dim() == 0:
            record.free = not call.known or self._contrary(call, virtual, record)
        if not virtual.is_floating_point():
            _bound(call, virtual, record)

    def _contrary(self, call: Call, virtual: torch.Tensor, record: Record) -> bool:
        """Check whether the operands' placeholders contradict the assumed result of a test."""
        real = self.run(call)
        if real is UNKNOWN or record.twin is None:
            return False
        return bool(real.item()) is not bool(view_of(record.twin, virtual).item())


def _tests_stand_ins(call: Call) -> bool:
    """Check whether a test's operands are placeholders, so that the expected answer says more than they do."""
    return (
        call.plan.short in TESTS
        and any(r.assumed for r in call.records)
        and not all_steady(call.records)
    )


def _bound(call: Call, virtual: torch.Tensor, record: Record) -> None:
    record.bound = most(call, virtual.numel())
    if (
        record.bound
        and not call.known
        and record.steady is None
        and record.twin is not None
    ):
        # as a mask that is too large to keep: all of it
        view_of(record.twin, virtual).fill_(_held(record.bound, virtual.dtype))


def _held(count: int, dtype: torch.dtype) -> int:
    """Return a count as its dtype holds it: one into uint8 wraps, as `sum(dtype=torch.uint8)` does."""
    closed = not dtype.is_floating_point and dtype is not torch.bool
    return min(count, torch.iinfo(dtype).max) if closed else count


def _spoil(call: Call) -> None:
    """Mark what an op with unknown operands wrote as unknown; small integers keep a placeholder."""
    if not call.plan.writes:
        return
    for name, tensor, record in call.named():
        if name.split("[")[0] in call.plan.writes:
            written(tensor, record)
            record.span = _span(call) if call.plan.short == "uniform_" else None
            record.limits = None


def _span(call: Call) -> tuple[float, float] | None:
    """Return the bounds of the numbers that `uniform_` fills in; None if the bounds are not numbers."""
    given = dict(call.given())
    low, high = given.get("from", 0.0), given.get("to", 1.0)
    if isinstance(low, (int, float)) and isinstance(high, (int, float)):
        return (low, high)
    return None


def _certain(call: Call) -> bool:
    """Check whether one known operand decides the result for any placeholders: `x & False`, `x & 0`, `x | True`."""
    decides = _DECIDES.get(call.plan.short.strip("_"))
    if decides is None:
        return False
    out = torch.broadcast_shapes(*(t.shape for t in call.tensors))
    return any(
        r.twin is not None
        and not r.assumed
        and t.shape == out
        and (not decides or t.dtype is torch.bool)
        and bool((view_of(r.twin, t) == decides).all())
        for _, t, r in call.named()
    )
