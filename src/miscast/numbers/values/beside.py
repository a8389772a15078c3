"""One op on its way: the real run of it, and the same in float64 beside."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch

from ..ranges import bits
from ..ranges.loss import HALF
from ..ranges.names import PRODUCTS as SUMS_OF_PRODUCTS
from . import record
from .call import Call, Operand, Result, replaced, tensors
from .codes import watched_codes
from .loss import Loss
from .losses.choice_by_rounding import watched_choices
from .losses.integer_wraps import watched_integers
from .numbers import MEASURED, distance, ulps, unit
from .origins import label, met
from .quotients import QUOTIENT, cut, divided, is_of_integers
from .specials import SPECIALS
from .whole import are_whole, rest_of_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .mode import Shadow
    from .plan import Plan
    from .site import Site

PRODUCTS = SUMS_OF_PRODUCTS | {"mm", "bmm"}
_NO_LOSS = 1e-14
_OWN = 4
_OF_NOTHING = 1e5
"""Beside such an error float64 has rounding only, too: a gradient that is 0, as a bias' before a batch norm."""
_SCALES = frozenset(
    {"_to_copy", "mul", "add", "sub", "rsub", "div", "clamp", "clone", "cat"}
)
_LARGER = 1.15
"""An op whose result is worse than its operands by this factor is where the error came about."""
_ROUNDINGS = 64
"""An error of no more units in the last place is an op's own."""
_OF_INTEGERS = frozenset({
    "sub", "rsub", "_to_copy", "clone", "index", "index_select", "gather", "cat", "stack", "flip", "sort", "argsort",
    "searchsorted", "bucketize", "eq", "ne", "lt", "le", "gt", "ge", "_unique2", "argmax", "argmin",
})  # fmt: skip
"""Ops that are run on the integers that a tensor in float64 was, where these are beyond 2^53."""
_SHIFTS = frozenset({"add", "sub"})
"""Ops that shift numbers to larger ones, so that these lose more precision than before."""


_EXACT = record.Record(torch.float64)


class Beside:
    """One op on its way: what is known of it before it ran, and after."""

    def __init__(
        self, shadow: Shadow, func: Any, plan: Plan, args: Any, kwargs: Any
    ) -> None:
        """Take an op that is about to run."""
        self.shadow, self.func, self.plan = shadow, func, plan
        self.args, self.kwargs = args, kwargs
        self.precision, self.room = shadow.precision, shadow.room
        self.real: Any = None
        self.bound = {**dict(zip(plan.arguments, args, strict=False)), **kwargs}
        self.operands: list[Operand] = []
        self.written: list[torch.Tensor] = []
        self.wide_before: Any = None
        self.early = False
        self.is_random = plan.is_random or (
            plan.may_draw and bool(self.bound.get("dropout_p"))
        )
        self.frame: Any = None
        # a copy of a weight that is only averaged is changed, not computed with, and without gradients
        self._grad = torch.is_grad_enabled()

    def before(self) -> None:
        """Run the shadow of an op that changes a tensor before the real run, which overwrites its operands."""
        self.written = [
            one for name in self.plan.writes for one in tensors(self.bound.get(name))
        ]
        if not self.followed() or not any(
            one.is_floating_point() for one in self.written
        ):
            self.integers(early=True)
            return
        self._read()
        self.early = True
        if self.plan.op not in SPECIALS and not self.is_random:
            self.wide_before = self._widely(shadow=True)

    def after(self) -> None:
        """Compute the shadow's results, and pass them to the observers."""
        label(self)
        self.look_at_bits()
        watched_codes(self)
        if self.is_random or self.plan.steps:
            special = SPECIALS.get(self.plan.op)
            if special is None or not self.followed():
                cut(self)
                self.forget()
                self._keep_whole()
                self._drawn()
                return
        outputs = [
            one for one in _joined(self.written, self.real) if record.is_plain(one)
        ]
        if not any(one.is_floating_point() or one.is_complex() for one in outputs):
            cut(self)
            watched_choices(self)
            self.integers(early=False)
            return
        if not self.followed():
            self.forget()
            return
        if not self.operands:
            self._read()
        wide = self._wide_results(outputs)
        if wide is None:
            self.shadow.unknown[self.plan.op] = (
                self.shadow.unknown.get(self.plan.op, 0) + 1
            )
            self.forget()
            return
        self._compare(outputs, wide)
        watched_choices(self)

    def look_at_bits(self) -> None:
        """Report bytes that hold numbers of one dtype and are read as another."""
        out = next(tensors(self.real), None)
        wrong = bits.misread(self.plan.op, self.bound, out)
        if wrong and out is not None:
            self.lose(bits.RULE, self.site(out.dtype), wrong, form=bits.FORM)

    def integers(self, *, early: bool) -> None:
        """Check an op whose results do not round, before it runs (`early`) and after."""
        watched_integers(self, early=early)

    def forget(self) -> None:
        """Treat everything that the op returned or changed as exact from now on."""
        for one in (*self.written, *tensors(self.real)):
            if record.is_plain(one) and not self.plan.is_view:
                record.drop(one, self.precision)

    def site(self, dtype: torch.dtype) -> Site:
        """Return where it runs."""
        return self.shadow.watch.site(
            self.frame, self.plan.op, dtype, lambda: met(self)
        )

    def lose(self, rule: str, site: Site, says: str, **more: Any) -> None:
        """Report a precision loss of this op; `more` are fields of a `Loss`."""
        self.shadow.losses.add(Loss(rule=rule, site=site, says=says, **more))

    # the parts

    def followed(self) -> bool:
        """Check whether all of its tensors are plain ones."""
        return all(record.is_plain(one) for one in tensors([*self.bound.values()]))

    def _read(self) -> None:
        """Read the operands as they are now, and their shadows."""
        for name in self.plan.arguments:
            for one in tensors(self.bound.get(name)):
                if one.is_floating_point() or one.is_complex():
                    low = self.precision.widened(one)
                    kept = record.find(one)
                    if (
                        one.requires_grad
                        and one.is_leaf
                        and (self._grad or self.shadow.watch.trains(one))
                    ):
                        kept = record.made(one)
                        kept.is_weight = True
                    wide = record.shadow(one, self.precision)
                    if wide.dtype == torch.int64 and self.plan.op not in _OF_INTEGERS:
                        wide = low
                    self.operands.append(
                        Operand(name=name, tensor=one, record=kept, low=low, wide=wide)
                    )
                elif not one.is_complex():
                    kept = record.find(one)
                    self.operands.append(
                        Operand(name=name, tensor=one, record=kept, low=one, wide=one)
                    )

    def _widely(self, *, shadow: bool) -> Sequence[torch.Tensor] | None:
        """Return the op on float64: on the shadows, or on what the operands really hold."""
        known = {
            id(one.tensor): one.wide if shadow else one.low for one in self.operands
        }
        taken: dict[int, torch.Tensor] = {}

        def other(one: torch.Tensor) -> torch.Tensor:
            wide = known.get(id(one), one)
            if any(one is each for each in self.written):
                wide = taken.setdefault(id(one), wide.clone())
            return wide

        args, kwargs = (
            replaced(self.args, other, self.precision),
            {k: replaced(v, other, self.precision) for k, v in self.kwargs.items()},
        )
        if is_of_integers(self):
            return divided(self)
        try:
            given = self.func(*args, **kwargs)
        except (RuntimeError, NotImplementedError, TypeError):
            return None
        return _joined([taken.get(id(one), one) for one in self.written], given)

    def _wide_results(
        self, outputs: Sequence[torch.Tensor]
    ) -> Sequence[torch.Tensor] | None:
        special = SPECIALS.get(self.plan.op)
        if special is not None:
            return special(self, outputs)
        if self.early:
            return self.wide_before  # type: ignore[no-any-return]
        found = self._widely(shadow=True)
        if found is not None and self.plan.chooses and len(found) == 2:
            return _chosen(self, found)
        return found

    def _compare(
        self, outputs: Sequence[torch.Tensor], wide: Sequence[torch.Tensor]
    ) -> None:
        """Compare each result with its shadow, store the shadow, and pass both to the observers."""
        results = self._results(outputs, wide)
        if not results:
            return
        known = (one.record for one in self.operands if one.record is not None)
        kept = (one for one in known if one.wide is not None)
        # without a shadow an operand is exact, as if nothing had been computed
        worst = max(kept, key=lambda one: one.error, default=None) or _EXACT
        call = Call(
            func=self.func, plan=self.plan, bound=self.bound, site=self.site(results[0].tensor.dtype),
            operands=self.operands, results=results, rerun=lambda: self._widely(shadow=False),
            inherited=worst.error, culprit=worst.culprit, source=worst.source, behind=self.shadow.lines.behind,
        )  # fmt: skip
        whole = are_whole(call)  # by what its operands were
        for result in results:
            self._judge(call, result)
        self._carry_whole(call, whole=whole)
        self._carry_drawn(call)
        self.shadow.observe(call)

    def _results(
        self, outputs: Sequence[torch.Tensor], wide: Sequence[torch.Tensor]
    ) -> list[Result]:
        before = {id(one.tensor): one.low for one in self.operands if self.written}
        results = [
            Result(
                tensor=one,
                low=self.precision.widened(one),
                wide=other,
                before=before.get(id(one)),
                index=index,
            )
            for index, (one, other) in enumerate(zip(outputs, wide, strict=False))
            if other.shape == one.shape and one.numel()
        ]
        return [
            one
            for one in results
            if one.tensor.is_floating_point() or one.tensor.is_complex()
        ]

    def _judge(self, call: Call, result: Result) -> None:
        dtype = result.tensor.dtype
        result.measure()
        error = result.error
        if error <= _NO_LOSS and not result.was_integer:
            record.drop(result.tensor, self.precision)
            return
        kept = record.keep(result.tensor, result.wide, self.precision, self.room)
        mine = _is_own(call, dtype, error)
        if kept is not None:
            kept.error = error
            kept.made_by = QUOTIENT if is_of_integers(self) else _maker(call)
            kept.culprit = call.site if mine or call.culprit is None else call.culprit
            kept.source = _source(call, result, grown=mine)
        if dtype in MEASURED and error < _OF_NOTHING:
            _measure(call, result, error)

    def _keep_whole(self) -> None:
        given = filter(record.is_plain, tensors([*self.bound.values()]))
        if rest_of_whole(self.plan.op, given):
            for one in filter(record.is_plain, tensors(self.real)):
                record.made(one).whole = True

    def _carry_whole(self, call: Call, *, whole: bool) -> None:
        """Propagate whole numbers, which stay whole under sums and products, and come from integers."""
        for result in call.results:
            kept = record.made(result.tensor) if whole else record.find(result.tensor)
            if kept is not None:
                kept.whole = whole

    def _drawn(self) -> None:
        for one in filter(record.is_plain, tensors(self.real)):
            if one.is_floating_point():
                kept = record.made(one)
                kept.is_drawn, kept.made_by = True, self.plan.op

    def _carry_drawn(self, call: Call) -> None:
        """Propagate random numbers, which still count as data after a shift, scaling or cast."""
        given = [one.record for one in call.operands if one.low.dim()]
        drawn = all(one is not None and one.is_drawn for one in given)
        if given and drawn and call.op in _SCALES:
            for result in call.results:
                kept = record.made(result.tensor)
                kept.is_drawn = True
                if call.op == "_to_copy" and kept.source is not None:
                    # of these numbers alone: the line may cast a buffer, too, as `model.half()` does
                    kept.source = replace(kept.source, rounds_data=True)


def _is_own(call: Call, dtype: torch.dtype, error: float) -> bool:
    """Check whether an error came about in an op; errors of several sources add up as squares."""
    if dtype not in MEASURED or error < _LARGER * call.inherited:
        return False
    # a cast may leave the largest numbers, which make the norm, as they are
    return error >= unit(dtype) / 8 or call.op == "_to_copy"


def _measure(call: Call, result: Result, error: float) -> None:
    """Note what error an op added; what it made larger came about where its operand was rounded."""
    dtype, added = result.tensor.dtype, max(0.0, error - call.inherited)
    own = added if call.culprit is None else min(added, _OWN * unit(dtype))
    call.site.measure(ulps(own, dtype), error, result.tensor.numel())
    if call.culprit is not None:
        call.culprit.total += ulps(added - own, call.culprit.dtype)


def _source(call: Call, result: Result, *, grown: bool) -> Site:
    """Return the source of an error: this op, or that of the operands if the op, say a difference, amplified it."""
    if call.source is None:
        return call.site
    dtype = result.tensor.dtype
    shifts = call.op in _SHIFTS and dtype in HALF
    if not (grown or shifts):
        return call.source
    if not shifts and result.error < _ROUNDINGS * unit(dtype):
        return call.site
    exact = call.exact(result)
    own = result.error if exact is None else distance(result.low, exact)
    return call.site if own > result.error / 2 else call.source


def _maker(call: Call) -> str:
    """Return the op that made the result; of twice a matrix product, the product."""
    records = [one.record for one in call.operands if one.record is not None]
    if call.op == "mul" and len(call.operands) == 1 and records:
        return records[0].made_by if records[0].made_by in PRODUCTS else call.op
    return call.op


def _joined(written: Sequence[torch.Tensor], given: Any) -> list[torch.Tensor]:
    """Return the tensors that an op changed, then its other results."""
    return [
        *written,
        *(one for one in tensors(given) if not any(one is other for other in written)),
    ]


def _chosen(run: Beside, found: Sequence[torch.Tensor]) -> Sequence[torch.Tensor]:
    """Return the shadow's elements that the real run chose."""
    _, indices = tensors(run.real)
    source = run.operands[0].wide
    dim = run.bound.get("dim", -1)
    if source.dim() == 0:
        return found
    if indices.dim() == source.dim():
        return [source.gather(dim, indices), indices]
    return [source.gather(dim, indices.unsqueeze(dim)).squeeze(dim), indices]
