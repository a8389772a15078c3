"""One call as what watches numbers sees it: arguments by ATen's names, what is known of each, before and after."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import torch

from ...core.moments import Moments, constant
from ...vm.provenance.record import BITS, Record, find, is_meta, is_tensor, view_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_NUMBERS = (bool, int, float)
_FEW = 1 << 12
_NARROW = BITS | {
    kind
    for kind in vars(torch).values()
    if isinstance(kind, torch.dtype) and kind.is_floating_point and kind.itemsize == 1
}
_DIFFERENCES = frozenset({"sub", "rsub"})
CASTS = frozenset({"to", "_to_copy"})
"""Ops that change a tensor's dtype."""
BACK = CASTS | {"copy", "type_as"}
_MOVES = frozenset({
    "view", "_unsafe_view", "reshape", "t", "transpose", "permute", "expand", "unsqueeze", "squeeze", "slice", "select",
    "clone", "detach", "alias", "contiguous", "index", "gather", "flatten", "split", "chunk", *CASTS,
})  # fmt: skip


class Seen:
    """A call of an op, which has run if `out` is set.

    `name` is the op's name without the underscore of those that write in place (`in_place` then).
    """

    def __init__(
        self,
        short: str,
        names: tuple[str, ...],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> None:
        """Take the arguments of a call; `names` are ATen's names of `args`, in order."""
        self.short = short
        self.in_place = short.endswith("_") and not short.endswith("__")
        self.name = short.rstrip("_") if self.in_place else short
        self._names, self._args, self._kwargs = names, args, kwargs
        if "out" in kwargs:
            self.in_place = kwargs["out"] is self.given.get("self")
        self.parts: tuple[
            Seen, ...
        ] = ()  # of a `_foreach_` op, the calls that it stands for
        self.of_several = False  # and whether this is one of them
        self.out: Any = None
        # of what is written to, as it was:
        self.before: torch.Tensor | None = None
        self.was: Moments | None = None  # and their moments
        self._moments: dict[str, Moments | None] = {}
        self.factor_before = 0.0  # and the number that they were multiplied with last
        self.degree_before = 0
        self.made_before: str | None = None  # and the op that computed them
        self.undid: tuple[Record, ...] = ()  # and which of them this undid
        self.settled: frozenset[str] = (
            frozenset()
        )  # results that a loop has brought near 0

    @cached_property
    def given(self) -> dict[str, Any]:
        """The arguments by name."""
        return dict(zip(self._names, self._args, strict=False)) | self._kwargs

    def ran(self, out: Any) -> None:
        """Take what the call gave."""
        self.out = out
        self.__dict__.pop("dtype", None)

    @cached_property
    def dtype(self) -> torch.dtype | None:
        """The result's dtype, or that of the first of several; None before the call and without a result."""
        several = isinstance(self.out, (list, tuple)) and self.out
        out = self.out[0] if several else self.out
        return out.dtype if is_tensor(out) else None

    def tensor(self, name: str) -> torch.Tensor | None:
        """Return an argument, or "out", if it is a tensor."""
        found = self.out if name == "out" else self.given.get(name)
        return found if is_tensor(found) else None

    def tensors(self) -> Iterator[torch.Tensor]:
        """Yield the tensors among the arguments, those of lists too."""
        for value in self.given.values():
            yield from filter(
                is_tensor, value if isinstance(value, (list, tuple)) else (value,)
            )

    def number(self, name: str) -> float | None:
        """Return an argument that is one number: Python's, or a known tensor's of one element."""
        found = self.given.get(name)
        if isinstance(found, _NUMBERS):
            return float(found)
        if found is None or not is_tensor(found):
            return None
        one = found.numel() == 1 and not found.is_complex()
        values = self.known(name) if one else None
        return None if values is None else float(values.item())

    def is_zero(self, name: str) -> bool:
        """Check whether an argument is the number 0, or a tensor created from it."""
        return self.made_by(name) == "zeros" or self.number(name) == 0

    def known(self, name: str) -> torch.Tensor | None:
        """Return the numbers of a tensor where they are known for sure, as a real tensor."""
        if name == "self" and self.in_place:
            return self.before
        tensor = self.tensor(name)
        return None if tensor is None else numbers(tensor)

    def made_by(self, name: str) -> str:
        """Return the op that computed an argument, "" if that is not known."""
        if name == "self" and self.made_before is not None:
            return self.made_before
        tensor = self.tensor(name)
        record = None if tensor is None else find(tensor)
        return "" if record is None else record.made_by

    def degree(self, name: str) -> int:
        """Return the degree of an argument, as `names.degree` has it; 0 of a number."""
        if name == "self" and self.in_place:
            return self.degree_before
        tensor = self.tensor(name)
        record = None if tensor is None else find(tensor)
        return 0 if record is None else record.degree

    @property
    def sign(self) -> int:
        """1 where the second operand is added, -1 where it is taken off."""
        alpha = self.number("alpha")
        less = (self.name in _DIFFERENCES) != (alpha is not None and alpha < 0)
        return -1 if less else 1

    @property
    def undoes(self) -> bool:
        """True if one operand is taken off what it was added to, or the reverse: the result tells what was lost."""
        return bool(self.undone)

    @property
    def undone(self) -> tuple[Record, ...]:
        """The operands from which a part of what they were computed from is taken."""
        if self.made_before is not None:
            return self.undid
        pair = [self.tensor("self"), self.tensor("other")]
        records = [find(one) for one in pair if one is not None]
        if len(records) < 2 or records[0] is None or records[1] is None:
            return ()
        first, second = records[0], records[1]
        either = (first, second), (second, first)
        return tuple(
            one for one, other in either if -self.sign * other.serial in one.made_from
        )

    @property
    def keeps_numbers(self) -> bool:
        """True if the result has the numbers of what it is given, in another order or another dtype."""
        return self.name in _MOVES

    def moments(self, name: str) -> Moments | None:
        """Return the known value range of an argument."""
        if name == "self" and self.in_place:
            return self.was
        if name not in self._moments:
            self._moments[name] = self._read(name)
        return self._moments[name]

    def _read(self, name: str) -> Moments | None:
        found = self.out if name == "out" else self.given.get(name)
        if isinstance(found, _NUMBERS):
            return constant(found)
        tensor = self.tensor(name)
        return None if tensor is None else moments_of(tensor)


def known_twin(tensor: torch.Tensor) -> torch.UntypedStorage | None:
    """Return the storage of a virtual tensor's numbers, if they are known and contain no placeholder."""
    record = find(tensor)
    return None if record is None or record.assumed else record.twin


def numbers(tensor: torch.Tensor) -> torch.Tensor | None:
    """Return a virtual tensor's numbers, if they are known and contain no placeholder."""
    twin = known_twin(tensor)
    if twin is None:
        return None
    values = view_of(twin, tensor)
    return values if values.dtype not in _NARROW else _computable(values)


def _computable(narrow: torch.Tensor) -> torch.Tensor | None:
    """Return numbers of a dtype that torch cannot compute in as float32; None for packed ones, two to an element."""
    try:
        return narrow.to(torch.float32)
    except NotImplementedError:
        return None


def measured(values: torch.Tensor) -> Moments | None:
    """Return the value range of a real tensor's `values`; None if some are not finite, or there are none."""
    if not values.numel() or values.is_complex():
        return None
    exact = values.detach().to(torch.float64)
    if not bool(exact.isfinite().all()):
        return None
    return Moments(
        lo=exact.min().item(),
        hi=exact.max().item(),
        mean=exact.mean().item(),
        rms=exact.square().mean().sqrt().item(),
        whole=not exact.frac().any().item(),
        certain=True,
    )


def moments_of(tensor: torch.Tensor) -> Moments | None:
    """Return the value range of a tensor: measured if its numbers are known, else the propagated one."""
    values = numbers(tensor)
    if values is not None:
        return measured(values)
    record = find(tensor)
    return None if record is None else record.moments


def began_with(tensor: torch.Tensor) -> Moments | None:
    """Return the initial value range of numbers that training will change."""
    found = moments_of(tensor)
    return None if found is None else replace(found, certain=False)


def remember(tensor: torch.Tensor, moments: Moments | None) -> None:
    """Set the value range of a tensor's storage; if the tensor is a part of it, the range must cover the rest too."""
    record = find(tensor)
    if record is not None:
        record.moments = moments


def look_before(seen: Seen) -> None:
    """Keep what an op that writes in place is about to overwrite."""
    tensor = seen.tensor("self")
    if tensor is None:
        return
    values = numbers(tensor)
    if values is not None and values.numel() <= _FEW:
        seen.before = values.clone()
    seen.was = moments_of(tensor)
    record = find(tensor)
    if record is not None:
        seen.factor_before, seen.degree_before = record.factor, record.degree
    if seen.in_place:
        seen.undid = seen.undone
        seen.made_before = "" if record is None else record.made_by


def apply(values: dict[str, Any], op: Callable[..., Any]) -> torch.Tensor | None:
    """Return an op on other values of its arguments; None where that does not go."""
    try:
        with torch.no_grad():
            found = op(**values)
    except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError):
        return None
    return found if is_tensor(found) and not is_meta(found) else None


def in_float64(
    seen: Seen, exact: Callable[[torch.Tensor], torch.Tensor | None] | None = None
) -> torch.Tensor | None:
    """Return what a call gives in float64, where all its numbers are known and finite.

    `exact` gives the numbers of a tensor, better ones than those that it has, and infinite ones too.
    """
    source = exact or (lambda tensor: _finite(numbers(tensor)))
    try:
        given = {name: _widened(one, source) for name, one in seen.given.items()}
    except LookupError:
        return None
    if isinstance(given.get("dtype"), torch.dtype):
        given["dtype"] = torch.float64
    if given.get("device") is not None:
        given["device"] = torch.device("cpu")
    op = getattr(torch.ops.aten, seen.name, None)
    return None if op is None else apply(given, op)


def _widened(value: Any, source: Callable[[torch.Tensor], torch.Tensor | None]) -> Any:
    """Return a value in float64. Raises LookupError where it is not known, or not finite."""
    if isinstance(value, (list, tuple)):
        return [_widened(one, source) for one in value]
    if is_tensor(value):
        known = source(value)
        if known is None:
            raise LookupError
        return known.to(torch.float64) if known.is_floating_point() else known
    if isinstance(value, float) and not math.isfinite(value):
        raise LookupError
    return value


def _finite(known: torch.Tensor | None) -> torch.Tensor | None:
    return known if known is not None and bool(known.isfinite().all()) else None
