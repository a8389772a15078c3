"""Find the lines where a finding could be fixed: where an operand was created, changed or used.

For `linear mixes float32 input with float16 weight` the input's sites come first (its birth, its casts, the line that
uses it and those that called that line), then the weight's, which would have to become float32.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Literal

from ...core.dtypes import DTYPES, HALVES, can_cast, counterpart, is_floating_point
from ...core.event import MODULE_TO, Event, Location, Operand, Scopes
from ...core.finding import Finding, Subject
from ...judging.cause import forward_of, is_parameter
from .safety import CONSTANT, MAKERS, SCHEDULE, widens

_STEPPED = frozenset({"half-parameters-without-master", "state-in-half"})
"""Rules of what an optimizer steps: weights, which no cast on the optimizer's line widens."""
_NO_KERNEL = ("unsupported-dtype", "operand-dtype-not-accepted")
"""Rules of ops that lack a kernel. Only such an op is to run in another floating dtype: what leads to it was meant."""
_WHOLE = CONSTANT | SCHEDULE | {"randint", "randint_like", "randperm"}
"""Factories whose numbers are integers, or meant to be where integers are wanted."""
Role = Literal[
    "born", "cast", "moved", "carried", "loaded", "promoted", "autocast", "given", "defined", "use", "caller",
    "absent", "forbidden", "scaled",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class EditSite:
    """A line of the user's, and what a tensor that passes it has and should have.

    `op` is the call that did it ("ones", "to", "cat", "linear"); `foreign` says that it stands in a library, which
    this line calls. `parameter`: the tensor belongs to a module; `path` is the module's at the failing call.
    `operand` is its name there, `other` the operand that it is at odds with, if there is one. `beside` is the line
    where the two meet, `names` what the names of the line's function stood for when they did. `failed` is the line of
    the call that failed, None where that stands in a library, `failed_op` its op. `dtype` is what the
    tensor was made in, `start` the line where it was; `computed`: no factory made it, but an op on other tensors.
    `placed` is the dtype that it had where it got its device: what a cast since then was of.
    """

    role: Role
    location: Location
    about: Subject
    op: str
    have: str
    want: str
    parameter: bool = False
    foreign: bool = False
    blamed: bool = True
    other: Operand | None = None
    operand: str = ""
    path: str = ""
    beside: str = ""
    precision_loss: int = 0
    names: Mapping[str, str] = field(default_factory=dict)
    failed: Location | None = None
    failed_op: str = ""
    dtype: str = ""
    start: Location | None = None
    computed: bool = False
    placed: str = ""

    def fits(self, name: str) -> bool | None:
        """Check whether a name of this function has the wanted dtype (device), as a tensor or a dtype.

        None: unknown.
        """
        return self._is(name, self.want)

    def fits_as(self, text: str) -> bool | None:
        """Check the same for an expression: a name, or the dtype (device) of one."""
        told = self.fits(text)
        return self.fits(text.removesuffix(f".{self.about}")) if told is None else told

    def is_weight(self, text: str) -> bool:
        """Check for the dtype of the very weight that the operand is at odds with: `self.proj.weight.dtype`."""
        layer, _, end = text.partition(".weight.")
        of_module = (
            self.other is not None and is_parameter(self.other) and self.role == "use"
        )
        return (
            of_module
            and end == self.about == "dtype"
            and f"self.{self.path}".endswith(layer[4:])
            and layer[:5] == "self."
        )

    def offends(self, name: str) -> bool | None:
        """Check whether a name of this function is a tensor like the offending one. None: unknown."""
        return self._is(name, self.have)

    def _is(self, name: str, value: str) -> bool | None:
        told = self.names.get(name.replace("'", '"'))
        if told is None:
            return None
        words = told.split()
        if not words:
            return False
        word = words[-1] if self.about == "device" else words[0]
        return value in (word, f"{word}:0")


def edit_sites(finding: Finding, scopes: Scopes | None = None) -> Iterator[EditSite]:
    """Yield all sites of a finding, the blamed operand's first. `scopes` has the values of names in its frames."""
    known = scopes or {}
    told = {(name, word) for names in known.values() for name, word in names.items()}
    for site in _sites(finding):
        file, function = site.location.file, site.location.function
        # a comprehension, a lambda: where its frame is gone, the names of the function around, and of the file
        inner = function.startswith("<")
        around = known.get((file, finding.location.function), {})
        path = site.path
        while path and (path.partition(".")[0], "") in told:
            path = path.partition(".")[2]  # an object that holds the module
        outer = {**known.get((file, "<module>"), {}), **around} if inner else {}
        yield replace(site, path=path, names=known.get((file, function)) or outer)


def _sites(finding: Finding) -> Iterator[EditSite]:
    absent = EditSite(
        role="absent",
        location=finding.location,
        about=finding.about,
        op=finding.op,
        have=finding.op,
        want=finding.wanted,
    )
    if finding.rule.startswith("number-"):
        yield replace(absent, have=finding.wanted)
    if finding.rule == "autocast-forbids":
        offending = finding.operands[0] if finding.operands else None
        have = offending.tensor.dtype if offending else "float16"
        here = replace(absent, role="forbidden", have=have, other=offending)
        here = replace(here, failed=finding.location, failed_op=finding.op)
        for location in (finding.location, *finding.callers):
            yield replace(here, location=location)
    elif finding.rule == "scaler-misused":
        yield replace(absent, role="scaled")
    elif finding.operands:
        yield from _of_operands(finding)
    else:
        yield absent


def _of_operands(finding: Finding) -> Iterator[EditSite]:
    named = [o for o in finding.operands if o.name == finding.blamed]
    blamed = (*named, *finding.operands)[0]
    value = finding.value(blamed)
    others = [o for o in finding.operands if finding.value(o) != value]
    others.sort(key=is_parameter, reverse=True)  # the weights say what is meant
    other = others[0] if others else None
    yield from _of(finding, blamed, finding.wanted, other, blamed=True)
    for operand in others:
        yield from _of(finding, operand, value, blamed, blamed=False)


def _of(
    finding: Finding,
    operand: Operand,
    want: str,
    other: Operand | None,
    *,
    blamed: bool,
) -> Iterator[EditSite]:
    if want in ("", finding.value(operand)):
        return
    origin = finding.origin(operand)
    chain = origin.chain() if origin else ()
    use = _use(finding, operand, want, other, chain, blamed=blamed)
    for event in _events(finding, want, chain):
        yield from _at_event(finding, use, event, chain)
    if blamed and finding.about == "device":
        for at in _places(finding, "defined at"):
            yield replace(use, role="defined", location=at)
    far = max(
        use.precision_loss, int(_lacks_kernel(finding) and use.failed is not None)
    )
    for place in () if _turns(finding, want, chain) else reversed(finding.callers):
        yield replace(use, role="caller", precision_loss=far, location=place)
    yield use


def _turns(finding: Finding, want: str, chain: Sequence[Event]) -> set[Location | None]:
    """Return where complex numbers are computed of real ones, or the other way round."""
    wrong = takewhile(lambda e: _had(finding, e) != counterpart(want, e.dtype), chain)
    return {e.location for e in wrong if _is_computed(e) and e.source is not None}


def _events(finding: Finding, want: str, chain: Sequence[Event]) -> Iterator[Event]:
    """Yield the events to change, oldest first: not what was right since; few ops take complex32."""
    wanted = {event: counterpart(want, event.dtype) for event in chain}
    wrong = list(takewhile(lambda one: _had(finding, one) != wanted[one], chain))
    turns = _turns(finding, want, chain)
    made = (e for e in reversed(wrong) if e.location not in turns or _is_computed(e))
    return _once(e for e in made if not wanted[e] == "complex32" != want)


def _use(  # noqa: PLR0913 - the operand, what it meets, and how it came there
    finding: Finding,
    operand: Operand,
    want: str,
    other: Operand | None,
    chain: Sequence[Event],
    *,
    blamed: bool,
) -> EditSite:
    """Return the site of the failing call, or of the op whose backward pass fails."""
    have = finding.value(operand)
    of_dtypes = finding.about == "dtype"
    forward = forward_of(finding.op, finding.operands) if of_dtypes else None
    op, location = forward or (finding.op, finding.location)
    loss = precision_loss(finding.about, want, operand, other)
    if forward is not None:
        # a formula of the backward pass takes what its op was given: that is cast up
        loss = int(not widens(have, want))
    elif of_dtypes and not blamed and other and not _of_weights(other):
        loss = max(loss, 1)  # what is not to blame was meant
    if finding.phase == "optimizer" and {have, want} & HALVES == {want}:
        loss = 2  # what an optimizer keeps is not rounded
    return EditSite(
        role="use",
        location=location,
        about=finding.about,
        op=op,
        have=have,
        want=want,
        parameter=is_parameter(operand) or finding.rule in _STEPPED,
        blamed=blamed,
        other=other,
        operand=operand.name,
        path=finding.location.module or "",
        beside=_meeting(chain, finding.location).code,
        precision_loss=loss,
        failed=finding.location if _stands_here(finding) else None,
        failed_op=op,
        start=chain[-1].location if chain else None,
        placed=operand.device_origin.dtype if operand.device_origin else "",
    )


def _lacks_kernel(finding: Finding) -> bool:
    dtypes = (finding.wanted, *map(finding.value, finding.operands[:1]))
    floats = {*dtypes} <= DTYPES.keys() and all(map(is_floating_point, dtypes))
    return finding.rule == _NO_KERNEL[0] or (finding.rule == _NO_KERNEL[1] and floats)


def _was_widened(event: Event, want: str, chain: Iterable[Event]) -> bool:
    """Check for a tensor that was cast up alone and met others since: what they gave is cast back, it stays wide."""
    alone = event.kind == "cast" and event.op != MODULE_TO
    met = takewhile(lambda one: one is not event, chain)
    promoted = any(one.kind == "promoted" for one in met)
    known = {event.dtype, want} <= DTYPES.keys()
    return alone and known and promoted and widens(want, event.dtype)


def _is_computed(event: Event) -> bool:
    """Check whether an op computed the first tensor of a dtype, of others: few take a dtype."""
    return event.kind == "born" and "." not in event.op and event.op not in MAKERS


def drops_fractions(have: str, want: str) -> bool:
    """Check for floats that are to be integers: others may read the fractions before the failing call."""
    floats = {have, want} <= DTYPES.keys() and is_floating_point(have)
    return floats and not can_cast(have, want)


def _stands_here(finding: Finding) -> bool:
    """Check whether the failing call is on the finding's line, not in a library called from it."""
    return not _places(finding, "in")


def _places(finding: Finding, label: str) -> list[Location]:
    """Return the related lines with a label."""
    return [one.location for one in finding.related if one.label == label]


def _meeting(chain: Iterable[Event], use: Location) -> Location:
    """Return the line where a promotion joined the two, else the one that uses both."""
    joined = (event.location for event in chain if event.kind == "promoted")
    return next(filter(None, joined), use)


def _once(events: Iterable[Event]) -> Iterator[Event]:
    """Yield the events that have a line, of each kind and line the first."""
    seen = set()
    for event in events:
        place = event.location
        key = place and (event.kind, place.file, place.line)
        if key is not None and key not in seen:
            seen.add(key)
            yield event


def _at_event(
    finding: Finding, use: EditSite, event: Event, chain: Sequence[Event]
) -> Iterator[EditSite]:
    assert event.location is not None
    op, had = event.op.rpartition(".")[2], _had(finding, event)
    drops = drops_fractions(use.have, use.want) and op not in _WHOLE
    drops = drops and use.want not in (_had(finding, one) for one in chain)
    costs = drops or _was_widened(event, use.want, chain)
    use = replace(use, precision_loss=max(use.precision_loss, int(costs)))
    lost = max(use.precision_loss, _meant(finding, event, use))
    foreign = event.library is not None
    yield replace(
        use,
        role=event.kind,
        location=event.location,
        op=op,
        have=had,
        want=counterpart(use.want, event.dtype),
        foreign=foreign,
        precision_loss=lost,
        dtype=event.dtype,
        computed=_is_computed(event),
    )
    # that is computed with: its result is what is cast
    if event.carried is not None and op not in SCHEDULE:
        yield replace(use, role="carried", location=event.carried, op="to", have=had)


def precision_loss(
    about: Subject, want: str, operand: Operand, other: Operand | None
) -> int:
    """Return the cost of giving an operand what is wanted. 0: nothing beyond what the program's author gave up.

    A model's weights, and what was computed by a model that somebody cast, show what its author means: they are not
    made like what they meet (1), least of all where somebody gave them their dtype (2), and what they meet is rounded
    to them. Else, what would be rounded is worse off (1) than what would be widened, but not to float64. Of devices it
    is the CPU that is worse (1), least of all for what meets a GPU's (2).
    """
    if about == "device":
        if is_parameter(operand) and operand.tensor.device not in ("cpu", want):
            return 2  # a model that is split over GPUs stays so
        if want != "cpu" or operand.name.startswith("indices"):
            return 0  # an index may be on the CPU beside any tensor
        return 1 if other is None else 2
    return 0 if other is None else _lost_beside(other, operand, want)


def _lost_beside(other: Operand, operand: Operand, want: str) -> int:
    have = operand.tensor.dtype
    if {have, want} <= HALVES:  # either is rounded where it meets the other
        return 0
    # nobody means these two together
    if {have, want} & HALVES and "float64" in (have, want):
        return int(want == "float64")
    lost = _lost_by_weights(operand, other)
    if lost is not None:
        return lost
    # twice the memory, and far slower on most GPUs: seldom meant
    if "float64" in (have, want):
        return int(want == "float64")
    return int(not widens(have, want))


def _lost_by_weights(operand: Operand, other: Operand) -> int | None:
    """Return the cost if one of the two operands is a weight, or one whose dtype was given on purpose."""
    one, two = operand.dtype_origin, other.dtype_origin
    stated = [_stated(one), _stated(two)]
    weights = is_parameter(operand) and is_parameter(other)
    if weights and all(stated) and _cast_alone(one) != _cast_alone(two):
        return 0 if _cast_alone(one) else 2  # it is at odds with its own module
    if _of_weights(operand) and _of_weights(other) and stated[0] != stated[1]:
        return 0 if stated[1] else 2
    return _lost_by_one(operand, other, stated=stated[0])


def _lost_by_one(operand: Operand, other: Operand, *, stated: bool) -> int | None:
    for means in (is_parameter, _of_weights):
        if means(operand) != means(other):
            return 0 if means(other) else 1 + stated
    return None


def _of_weights(operand: Operand) -> bool:
    """Check whether an operand is a weight, or has its dtype from a module that was cast."""
    origin = operand.dtype_origin
    return is_parameter(operand) or (
        origin is not None and any(one.op == MODULE_TO for one in origin.chain())
    )


def _meant(finding: Finding, event: Event, use: EditSite) -> int:
    """Return the cost of undoing an event: a module's dtype (2), a place on the CPU (1).

    Not of weights whose gradients a GradScaler refuses, for it asks for weights in float32, and not where another
    module was cast to something else: one of both was a mistake. A cast of single tensors is the smaller one to undo.
    """
    if finding.op.endswith("unscale_"):
        # another module's dtype, which a trained weight took over
        return int(event is not finding.operands[0].dtype_origin)
    if _lacks_kernel(finding):
        return 1 + (event.op == MODULE_TO)
    if finding.about == "device":
        return int(event.kind == "moved" and event.device == "cpu")
    # float64 is seldom meant
    seldom = event.dtype == "float64" or {event.dtype, use.want} <= HALVES
    if seldom or event.op != MODULE_TO:
        return 0
    return 2 if _kept_wide(event) or not _is_at_odds(use.other) else 0


def _kept_wide(event: Event) -> bool:
    """Check for a module cast to float32, as it was made in: it was half since, and is kept wide in a half model."""
    return (event.op, event.kind, event.dtype) == (MODULE_TO, "cast", "float32")


def _is_at_odds(other: Operand | None) -> bool:
    """Check for a weight of another module that was cast as a whole."""
    origin = other.dtype_origin if other is not None and _of_weights(other) else None
    if origin is None or _kept_wide(origin):
        return False
    return _stated(origin) and not _cast_alone(origin)


def _stated(event: Event | None) -> bool:
    """Check whether a weight got its dtype on purpose: its model was cast, or loaded in it."""
    return event is not None and event.kind in ("cast", "loaded", "given")


def _cast_alone(event: Event | None) -> bool:
    """Check whether a tensor was cast by itself, not with its module."""
    return event is not None and event.kind == "cast" and event.op != MODULE_TO


def _had(finding: Finding, event: Event) -> str:
    return event.device if finding.about == "device" else event.dtype
