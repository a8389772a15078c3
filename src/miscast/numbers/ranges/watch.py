"""Told of every op of a run: hands on what is known of numbers, and says where torch accepted a loss of them."""

from __future__ import annotations

import math
import sys
from functools import cache, partial
from itertools import count
from typing import TYPE_CHECKING, Any, Protocol

import torch

from ...core.event import Violation
from ...core.moments import Moments
from ...core.plugins import function, load, value
from ...running.precision.harmless import Guard, harmless
from ...running.torch_abi import graph_task
from ...vm.provenance.origin import Place, places
from ...vm.provenance.record import Record, find, is_tensor
from . import bits, foreach, history, hooked_bounds, losses, names, own_steps, spreads
from .assumptions import Assumptions
from .fused import BREAKS, Fused
from .loss import HALF, INTEGERS, PRECISION, Lost, rounded
from .names import GRADIENT, MIXES, NORMS
from .own_clips import LEAST, compared, divided
from .seen import Seen, known_twin, look_before, remember
from .settling import Settling
from .training import Training
from .whole import Puts, Times, became_floats
from .widened import Widened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from types import ModuleType

    from ...core.failure import Failures


_SUMS = frozenset({"add", "sub", "rsub"})
_MULTIPLES = frozenset({"mul", "div"})
_KEPT, _NEAREST = 12, 2
_RESCALES = frozenset({"mul_", "div_", "_foreach_mul_", "_foreach_div_"})
_ZEROES = {
    "zero_": "", "_foreach_zero_": "", "fill_": "value", "mul_": "other", "_foreach_mul_": "scalar", "copy_": "src",
}  # fmt: skip
"""Ops that write zeros over their first operand, and the argument that decides it; "": always."""
_CUTS = frozenset({
    "clamp_", "clamp_min_", "clamp_max_", "clip_", "_foreach_clamp_min_", "_foreach_clamp_max_",
})  # fmt: skip
_PUTS = {"scalar_tensor": "s", "fill": "value", "copy": "src"}
"""Ops that write one number, also for `x[i] = 3` and `x[i] = ids[i]`, and its argument."""
_ADDS = frozenset({"add", "sub"})
_DIVIDES = frozenset({"mul", "div"})
_COMPARES = frozenset({"lt", "le", "gt", "ge"})
_BOUNDS = frozenset({"clamp", "clamp_max", "minimum", "min", "div", "where"})
"""Ops that compute a clip's factor: 1 at most, or a bound divided by a norm."""


class Schema(Protocol):
    """The facts read from an op's schema."""

    short: str
    names: tuple[str, ...]
    writes: tuple[str, ...]


class Telling(Protocol):
    """A precision loss reporter."""

    def seen(
        self, op: str, violation: Violation, operands: Any, *, at: Place | None
    ) -> Callable[[], None]:
        """Record a call that lost precision, and return a function that reports it."""


@cache
def _losses(
    *, plain: bool
) -> tuple[Mapping[str, tuple[ModuleType, ...]], tuple[ModuleType, ...]]:
    """Return the files of `losses/` by op, and those for all ops; with `plain`, only `PLAIN` files."""
    files = load(
        losses.__name__,
        needs=(function("find", 1), value("OPS", frozenset)),
        may=(value("WIDENS", bool), value("PLAIN", bool)),
    )
    if plain:
        files = tuple(file for file in files if getattr(file, "PLAIN", False))
    by_op: dict[str, tuple[ModuleType, ...]] = {}
    for file in files:
        for name in file.OPS:
            by_op[name] = (*by_op.get(name, ()), file)
    return by_op, tuple(file for file in files if not file.OPS)


@cache
def _spreads() -> Mapping[
    str, Callable[[Seen], Moments | tuple[Moments | None, ...] | None]
]:
    """Return the rules of `spreads/`, by op."""
    files = load(spreads.__name__, needs=(value("RULES", dict),))
    return {name: rule for file in files for name, rule in file.RULES.items()}


@cache
def _watched() -> frozenset[str]:
    """Return the ops that are looked at where no ranges are followed; what writes in place is, too."""
    by_op, _ = _losses(plain=True)
    names = frozenset(by_op) | NORMS | _BOUNDS | _COMPARES | frozenset(_PUTS) | BREAKS
    return names | {foreach.PREFIX + name for name in names}


def _concerns(short: str, args: tuple[Any, ...]) -> bool:
    """Check whether an op is looked at where no ranges are followed, and which writes nothing."""
    if short in _watched() or (short in history.OPS and history.concerns(short, args)):
        return True
    return (short in MIXES and _is_whole(args)) or bits.concerns(short, args)


class Numerics:
    """Watches the numbers of one run: what dtypes, constants and known numbers tell; all ranges once it is told to."""

    def __init__(self, teller: Telling, failures: Failures) -> None:
        """Report each call that lost precision to `teller`, once per line."""
        self.guard = Guard(failures)
        self.ranges = False  # whether what is known of numbers is handed on
        self.stepping = 0  # optimizers at work: what they do is judged as a whole
        self._teller = teller
        self._by_op, self._everywhere = _losses(plain=True)
        self._rules: Mapping[
            str, Callable[[Seen], Moments | tuple[Moments | None, ...] | None]
        ] = {}
        self._serials = count(1)
        self.training = Training(self)
        self.assumptions = Assumptions()
        self._times, self._puts = Times(), Puts()
        self.widened = Widened()
        self.fused = Fused(self._serials)
        self.settling = Settling()
        self._told: dict[tuple[str, Place | None, Place | None], Violation] = {}

    def follow(self, assume: Iterable[str] = ()) -> None:
        """Follow value ranges, too, from now on. Must be called before the machine is on.

        `assume`: "pixels=-1:1", what arguments of that name hold. Raises ValueError for what says no range.
        """
        self.assumptions = Assumptions.read(assume)
        self._by_op, self._everywhere = _losses(plain=False)
        self._rules, self.ranges = _spreads(), True

    def begin(
        self, plan: Schema, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Seen | None:
        """Return an op is about to run; None where nothing is to be seen of it."""
        if self.guard.lost or self.stepping:
            return None
        if graph_task() != -1:
            if self.training.half_region:
                self.training.passed_back(args)

            if plan.short in hooked_bounds.OPS and self.training.back_scaled:
                self._in_backward(Seen(plan.short, plan.names, args, kwargs))
            return None
        if not (self.ranges or plan.writes or _concerns(plan.short, args)):
            return None
        seen = Seen(plan.short, plan.names, args, kwargs)
        seen.parts = foreach.parts(seen)
        if plan.writes:
            self._look_before(seen, plan.short, args, plan.writes)
        return seen

    @harmless
    def _in_backward(self, seen: Seen) -> None:
        lost = hooked_bounds.find(seen)
        if lost is not None:
            self.tell(seen.short, lost, seen.tensor("self"))

    @harmless
    def _look_before(
        self, seen: Seen, op: str, args: tuple[Any, ...], writes: Iterable[str]
    ) -> None:
        if op not in _CUTS:
            self._written(seen, op, writes)
        if op in _RESCALES:
            self._rescaled(op, args)
        elif op in _CUTS and _is_gradient(args[0] if args else None):
            self.training.own.cut(scaled=self.training.gradients.any_scaled)
        for call in seen.parts or (seen,):
            look_before(call)

    def _written(self, seen: Seen, op: str, writes: Iterable[str]) -> None:
        """Record writes to gradients, and whether they are zeros."""
        by = _ZEROES.get(op)
        zeros = by is not None and (not by or seen.is_zero(by))
        if op in _RESCALES and not zeros and seen.number(_ZEROES.get(op, "other")):
            return
        for name in writes:
            given = seen.given.get(name)
            for one in given if isinstance(given, (list, tuple)) else (given,):
                if is_tensor(one):
                    self.training.gradients.written(one, zeros=zeros)

    def _rescaled(self, op: str, args: tuple[Any, ...]) -> None:
        """Record that the program multiplies gradients."""
        if _is_gradient(args[0] if args else None):
            factor: Any = args[1] if len(args) > 1 else None
            record = find(factor) if is_tensor(factor) else None
            bounded = record is not None and record.made_by in _BOUNDS
            if isinstance(factor, (int, float)) and factor:
                times = 1 / factor if "div" in op else factor
                several = isinstance(args[0], (list, tuple))
                self.training.by_hand.note(
                    args[0] if several else args[:1],
                    1 / times,
                    places(sys._getframe(1))[0],
                )
            self.training.own.rescaled(
                bounded=bounded, scaled=self.training.gradients.any_scaled
            )

    @harmless
    def end(self, seen: Seen, out: Any, *, opened: bool = False) -> None:
        """Process an op after it ran, with labelled results; `opened`: its component ops were processed, too."""
        foreach.ran(seen, out)
        for call in seen.parts or (seen,):
            self._ran(call, opened=opened)

    def _ran(self, seen: Seen, *, opened: bool) -> None:
        if seen.name in NORMS and _is_gradient(seen.given.get("self")):
            self.training.own.measured(scaled=self.training.gradients.any_scaled)
        if self.training.gradients.any_scaled:
            self._with_scaled(seen)
        self._divided(seen)
        if not opened or seen.name in self._rules:
            self._hand_on(seen)
        self._name(seen)
        if seen.name in _PUTS and seen.dtype in PRECISION:
            self._put(seen)
        self.widened.see(seen)
        self.settling.see(seen)
        history.see(seen)
        for lost in filter(
            None, (find_lost(seen) for find_lost in self._looking(seen))
        ):
            tensor = None if lost.at else seen.tensor(lost.operand)
            held = seen if lost.waits else None
            self.tell(lost.op or seen.short, lost, tensor, lost.at, held=held)

    def _put(self, seen: Seen) -> None:
        """Report a number that is written into a row and rounds to the same value as another."""
        number = seen.given.get(_PUTS[seen.name])
        given = seen.tensor(_PUTS[seen.name])
        if given is not None and given.dtype in INTEGERS and not given.dim():
            number = int(seen.number(_PUTS[seen.name]) or 0)
        user, _ = places(sys._getframe(1))
        lost = self._puts.lost(seen.dtype, number, user)
        if lost is not None:
            self.tell("Tensor.__setitem__", lost, seen.tensor("out"))

    def _with_scaled(self, seen: Seen) -> None:
        """Report what a program does with gradients that are still scaled."""
        for check in (own_steps.step, own_steps.averaged):
            lost = check(seen, self.training)
            if lost is not None:
                self.tell(seen.short, lost, seen.tensor("self"))
        if seen.name in _ADDS and _is_gradient(seen.given.get("self")):
            other = seen.tensor("other")
            is_weight = other is not None and self.training.gradients.waits_for(other)
            if is_weight or names.is_no_gradient(seen.given.get("other")):
                self.training.own.added(scaled=True)
        elif seen.name in _COMPARES and self.training.own.norm_of_scaled is not None:
            self._compared(seen)

    def _compared(self, seen: Seen) -> None:
        """Report a bound that a norm of scaled gradients is compared with."""
        bound, norm = seen.number("other"), seen.tensor("self")
        if seen.made_by("self") not in (*NORMS, names.NORM_OF_SCALED):
            return
        if bound and math.isfinite(bound):
            self.tell("norm", compared(bound), norm, self.training.own.norm_of_scaled)
        elif seen.made_by("other") == names.SIZE_OF_WEIGHTS:
            self.tell(seen.short, compared(None), norm)

    def _divided(self, seen: Seen) -> None:
        """Report gradients that the program divides by a scale of its own."""
        if seen.name not in _DIVIDES or not _is_gradient(seen.given.get("self")):
            return
        by = seen.number("other") or 1.0
        factor, gradient = by if seen.name == "div" else 1 / by, seen.tensor("self")
        half = gradient is not None and gradient.dtype is torch.float16
        if half and abs(factor) >= LEAST:
            self.tell(seen.short, divided(abs(factor)), gradient)

    def _looking(self, seen: Seen) -> Iterator[Callable[[Seen], Lost | None]]:
        """Yield what checks such a call for a loss."""
        yield self.fused.find
        yield bits.find
        half = seen.dtype in HALF
        always = half or seen.dtype in INTEGERS
        every = self._everywhere if half else ()
        for file in (*self._by_op.get(seen.name, ()), *every):
            if always or getattr(file, "WIDENS", False):
                yield file.find

    def _hand_on(self, seen: Seen) -> None:
        results = seen.out if isinstance(seen.out, (list, tuple)) else (seen.out,)
        unknown = [is_tensor(one) and known_twin(one) is None for one in results]
        if not any(unknown):
            return
        rule = self._rules.get(seen.name)
        moments = None if rule is None else rule(seen)
        each = moments if isinstance(moments, tuple) else (moments,) * len(results)
        for one, found, missing in zip(results, each, unknown, strict=False):
            if missing:
                remember(one, found)

    def _name(self, seen: Seen) -> None:
        if seen.dtype in PRECISION:
            names.chain(seen)
        record = find(seen.out) if is_tensor(seen.out) else None
        if record is None or (seen.name == "copy" and names.put_back(seen, record)):
            return
        if seen.keeps_numbers:
            names.keep(seen, record, self._serials)
            return
        made = names.made(seen)
        if self.training.gradients.any_scaled:
            made = own_steps.made(seen, self.training) or made
        names.count(seen, record, made)
        record.factor, record.degree = names.factor(seen), names.degree(seen)
        record.made_by, record.serial = made, next(self._serials)
        record.positive = names.is_positive(seen, made)
        if seen.name in _SUMS:
            record.made_from = _sources(seen)
        elif seen.name in _MULTIPLES and seen.dtype is torch.float32:
            # what a step comes to, (x + a / x) / 2 say, is related to x still
            record.made_from = _behind(seen.tensor("self"), seen.given.get("other"))

    @harmless
    def whole_numbers(self, made: torch.Tensor, data: Any, *, asked: bool) -> None:
        """Report whole numbers that become floats in a tensor made of Python numbers; `asked`: in a named dtype."""
        lost = (
            became_floats(made.dtype, data, asked=asked)
            if made.dim()
            else self._puts.lost(made.dtype, data, places(sys._getframe(1))[0])
            or (None if asked else self._times.lost(made.dtype, data))
        )
        if lost is not None:
            self.tell("torch.tensor", lost, made)

    @harmless
    def data_held(self, made: torch.Tensor, data: Any) -> None:
        """Follow what float32 has rounded off data that a tensor is made of."""
        if made.dim() and not _holds_tensors(data):
            history.made_of(made, data)

    @harmless
    def number_held(self, made: Any, data: Any) -> None:
        """Report a Python number that is rounded in a tensor created with an explicit dtype."""
        if is_tensor(made) and isinstance(data, float):
            lost = rounded(data, made.dtype)
            if lost is not None:
                self.tell("torch.tensor", lost, made)

    def not_held(
        self, op: str, form: str, figures: str, *, wanted: str, at: Place | None
    ) -> None:
        """Report half precision that was requested but is not kept."""
        lost = Lost(
            rule="precision-not-held",
            operand="",
            form=form,
            figures=figures,
            wanted=wanted,
        )
        self.tell(op, lost, None, at)

    def tell(
        self,
        op: str,
        lost: Lost,
        tensor: torch.Tensor | None,
        at: Place | None = None,
        held: Seen | None = None,
    ) -> None:
        """Report a precision loss in a call, or due to the line `at`; `held`: the call, if it may be intentional."""
        user, library = places(sys._getframe(1))
        operands = []
        if tensor is not None:
            record = find(tensor) if lost.origin is None else None
            operands = [
                (lost.operand, tensor, record or Record(None, lost.origin, None))
            ]
        violation = Violation(
            kind="lossy",
            odd=(lost.operand,) if operands else (),
            expected=lost.wanted,
            argument=lost.rule,
            value=lost.figures,
            form=lost.form,
            error=lost.error,
            raises=lost.raises,
        )
        key = (lost.rule, at or user, None if at else library)
        violation = self._told.setdefault(key, violation)
        say = partial(self._teller.seen, op, violation, operands, at=at)
        if held is None:
            say()()
        else:
            self.widened.hold(key, held, say, lost.waits)


def _is_whole(args: tuple[Any, ...]) -> bool:
    return bool(args) and is_tensor(args[0]) and args[0].dtype in INTEGERS


def _is_gradient(given: Any) -> bool:
    """Check whether a tensor, or the first of several, is a parameter's gradient as it came."""
    for one in given[:1] if isinstance(given, (list, tuple)) else (given,):
        record = find(one) if is_tensor(one) else None
        return record is not None and record.made_by == GRADIENT
    return False


def _behind(tensor: torch.Tensor | None, by: Any) -> tuple[int, ...]:
    record = None if tensor is None else find(tensor)
    if record is None or not isinstance(by, (int, float)) or not record.serial:
        return () if record is None else record.made_from
    return (record.serial if by > 0 else -record.serial, *record.made_from[: _KEPT - 1])


def _sources(seen: Seen) -> tuple[int, ...]:
    """Return what a sum was computed from, two sums back: serials, negative where they were taken off."""
    own: list[int] = []
    behind: list[list[int]] = []
    for name, sign in (("self", 1), ("other", seen.sign)):
        tensor = seen.tensor(name)
        record = None if tensor is None else find(tensor)
        if record is not None:
            own += [sign * record.serial] if record.serial else []
            behind.append([sign * key for key in record.made_from])
    # each operand has its share: a state's own past, round after round, would take it all
    share = (_KEPT - len(own)) // max(len(behind), 1)
    first = (key for keys in behind for key in keys[:_NEAREST])
    return (*own, *first, *(key for keys in behind for key in keys[_NEAREST:share]))


def _holds_tensors(data: Any) -> bool:
    several = isinstance(data, (list, tuple))
    return is_tensor(data) or (several and any(map(_holds_tensors, data)))
