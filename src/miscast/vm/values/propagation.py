"""Values where they are known: small tensors keep their numbers, so that programs which steer by them go on working.

A record's `twin` is a real storage beside the data-less one. An op whose operands all have twins is also run on them;
small integer and boolean results of unknown operands get a stand-in, once, so that all that follows from it agrees.
"""

from __future__ import annotations

import operator
from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from ...provenance.record import Record, attach, filled, find, is_meta, is_tensor, view_of
from ...torch_private import DispatchKey, DispatchKeySet
from ..autograd_graph import linked
from ..call import Call, over
from ..key import Exclude
from ..virtualize import is_plain, is_small
from .answers import Answers
from .asked_expression import Sources
from .health import PREDICATES, all_steady, compared, most, truly_known, uniform
from .indices import Indices

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..judging.recorder import Recorder
    from ..schema import Plan

UNKNOWN = object()
_DECIDES = {
    **dict.fromkeys(("and", "iand", "bitwise_and", "logical_and"), False),
    **dict.fromkeys(("or", "ior", "bitwise_or", "logical_or"), True),
}

SMALL = 1 << 12
_BELOW = DispatchKeySet(DispatchKey.AutocastCPU)
_NO = frozenset({"any", "isnan", "isinf", "isposinf", "isneginf", "signbit"})
_OVERWRITES = frozenset(
    {"random_", "uniform_", "normal_", "bernoulli_", "fill_", "zero_", "exponential_", "geometric_"}
)
_YES = frozenset({"all", "isfinite", "isclose", "isreal"})
_TESTS = _NO | _YES
_ORDERS = frozenset({"argsort", "sort", "topk"})
_PICKS = {"argmax": 0, "argmin": 0, "max": 0, "min": 0, "multinomial": 1}  # and the most dims of a single pick
_INDICES = _ORDERS | set(_PICKS)
_COMPARED = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})
_COMPARISONS = {"lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge}


class Values:
    """Follows values through ops."""

    def __init__(self, recorder: Recorder) -> None:
        """Nothing known yet."""
        self.recorder = recorder
        sources = Sources()
        self.answers = Answers(recorder, sources)
        self.indices = Indices(sources)
        self.pending: list[tuple[torch.Tensor, torch.Tensor, bool]] = []

    def follow(self, call: Call, out: Any) -> None:
        """After an op ran on meta tensors: the values of its results and of what it wrote."""
        if self.pending:
            for virtual, real, assumed in self.pending:
                self.keep(virtual, real, assumed=assumed)
            self.pending.clear()
            return
        if (call.plan.short in PREDICATES or call.plan.short in _COMPARED) and self.settle(call, out):
            return
        small = all(map(is_small, (*call.tensors, *_tensors(out))))
        if call.known and small and not self._tests_stand_ins(call):
            real = self.run(call)
            if real is not UNKNOWN:
                assumed = any(r.assumed for r in call.records) and not _certain(call)
                for virtual, value in zip(_tensors(out), _tensors(real), strict=False):
                    record = find(virtual)
                    if record is not None and record not in call.records:
                        self.keep(virtual, value, assumed=assumed)
                        if assumed:
                            self._told(call, virtual, record)
                    elif call.plan.short in _OVERWRITES and record is not None:
                        record.assumed = False
                    elif assumed and record is not None:
                        record.assumed = True  # `alive &= near`: a stand-in was written into what was known
                return
        self._spoil(call)
        says = None if call.known else self._compared(call)
        if says is not None:
            self.keep(out, torch.full(out.shape, says), assumed=True)
            return
        for virtual in _tensors(out):
            record = find(virtual)
            if record is not None and record.twin is None and record not in call.records:
                self.guess(virtual, call)
                self._told(call, virtual, record)

    def settle(self, call: Call, out: Any) -> bool:
        """Give a predicate of health its answer, unless all values are known; whether it was given."""
        if not is_tensor(out) or out.dtype is not torch.bool or truly_known(call.records):
            return False
        answer, steady = PREDICATES.get(call.plan.short, (compared(call), True))
        record = find(out)
        if answer is None or record is None or record in call.records:
            return False
        if is_small(out):
            self.keep(out, torch.full(out.shape, answer), assumed=True)
        record.steady = answer if steady else None
        return True

    def _told(self, call: Call, virtual: torch.Tensor, record: Record) -> None:
        """What else is known of a stand-in: if it is steady, if it may come out otherwise, how far it counts."""
        if all_steady(call.records):
            says = uniform(call)
            if says is not None and is_small(virtual):
                self.keep(virtual, torch.full(virtual.shape, says), assumed=True)
            record.steady = bool(call.records[0].steady) if says is None else says
        elif call.plan.short in _TESTS and virtual.dim() == 0:
            record.free = not call.known or self._contrary(call, virtual, record)
        if not virtual.is_floating_point():
            record.bound = most(call, virtual.numel())
            if record.bound and not call.known and record.steady is None and record.twin is not None:
                view_of(record.twin, virtual).fill_(record.bound)  # as a mask that is too large to keep: all of it

    def _contrary(self, call: Call, virtual: torch.Tensor, record: Record) -> bool:
        """Whether the operands' stand-ins say the opposite of what is assumed of a test."""
        real = self.run(call)
        if real is UNKNOWN or record.twin is None:
            return False
        return bool(real.item()) is not bool(view_of(record.twin, virtual).item())

    def _tests_stand_ins(self, call: Call) -> bool:
        """Whether a test is put to stand-ins: what a sound program expects of it says more than they do."""
        return call.plan.short in _TESTS and any(r.assumed for r in call.records) and not all_steady(call.records)

    def keep(self, virtual: torch.Tensor, real: torch.Tensor, *, assumed: bool = False) -> None:
        """Remember `real` as the value of `virtual` (same shape; a fresh storage of its own)."""
        record = find(virtual)
        if record is None or not is_plain(virtual) or not is_plain(real):
            return
        if virtual.shape != real.shape or virtual.storage_offset():
            return
        if real.stride() != virtual.stride() or real.storage_offset():
            real = torch.empty_strided(virtual.size(), virtual.stride(), dtype=virtual.dtype).copy_(real)
        record.twin = real.untyped_storage()
        record.assumed = assumed

    def guess(self, virtual: torch.Tensor, call: Call) -> None:
        """A stand-in for a small integer or boolean result: zeros, or what a sound program expects of a test.

        Of what is an order, an order; of what picks one among many, another one each time.
        """
        if (
            virtual.is_floating_point()
            or virtual.is_complex()
            or not virtual.numel() <= SMALL
            or not is_plain(virtual)
            or virtual.storage_offset()
        ):
            return
        op = call.plan.short
        yes = op in _YES or (virtual.dtype is torch.bool and op not in _NO and virtual.dim() > 0)
        storage = torch.UntypedStorage(virtual.untyped_storage().nbytes())
        real = torch.empty(0, dtype=virtual.dtype).set_(storage)
        real.fill_(1 if yes else 0)
        if op not in _INDICES or not call.tensors or not call.tensors[0].is_floating_point():
            pass
        elif virtual.numel() == 1 and virtual.dim() <= _PICKS.get(op, -1):
            real.fill_(self.answers.turn(_among(call)))
        elif virtual.dim() and (op in _ORDERS or _draws_once(call)):
            along = dict(call.given()).get("dim", -1)
            along = along if type(along) is int else -1
            places = torch.arange(virtual.shape[along])
            view_of(storage, virtual).copy_(places.view([-1, *[1] * (virtual.dim() - 1 - along % virtual.dim())]))
        record = find(virtual)
        if record is not None:
            record.twin, record.assumed = storage, True

    def scalar(self, tensor: torch.Tensor) -> Any:
        """The Python number of a one-element tensor: known, or a stand-in that is reported."""
        record = find(tensor)
        twin = None if record is None or record.twin is None else view_of(record.twin, tensor).item()
        if twin is not None and record is not None and not record.assumed:
            return twin
        if tensor.dtype is torch.bool:
            return self.truth(tensor)
        if tensor.is_complex():
            value = complex(1) if twin is None else twin
            self.recorder.assume("Tensor.item", str(value))
            return value
        if tensor.is_floating_point():
            return self._floating(tensor, record, twin)
        value = self.answers.number(twin or 0, record.bound if record is not None else None)
        self.recorder.assume("Tensor.item", str(value))
        return value

    def truth(self, tensor: torch.Tensor) -> bool:
        """Whether a one-element tensor is true: known, or what keeps a healthy program going."""
        record = find(tensor)
        natural = record is not None and record.twin is not None and bool(view_of(record.twin, tensor).item())
        if record is not None and record.twin is not None and not record.assumed:
            return natural
        if record is None:
            value = self.answers.truth(natural, free=True)
        else:
            value = self.answers.truth(natural, steady=record.steady is not None, free=record.free)
        self.recorder.assume("Tensor.item", str(value))
        return value

    def _floating(self, tensor: torch.Tensor, record: Record | None, twin: float | None) -> float:
        """A stand-in for a loss or a score: it falls or rises at each line that asks, and stays so for this tensor.

        So the best model so far is saved, and `while error > tolerance` ends.
        """
        span = record.span if record is not None else None
        value = float(self.answers.number(self.answers.natural(twin, span)))
        largest = torch.finfo(tensor.dtype).max
        low, high = span or (-largest, largest)
        value = min(max(value, low), high)
        if record is not None and is_plain(tensor) and tensor.untyped_storage().nbytes() == tensor.itemsize:
            self.keep(tensor, torch.full(tensor.shape, value, dtype=tensor.dtype), assumed=True)
        return value

    def _compared(self, call: Call) -> bool | None:
        """What a comparison of single numbers says, if one is unknown: that of their stand-ins."""
        compare = _COMPARISONS.get(call.plan.short)
        if compare is None or any(t.numel() != 1 or not t.is_floating_point() for t in call.tensors):
            return None
        if len(call.tensors) == 2 and all(r.twin is None for r in call.records):
            return bool(compare(1.0, 1.0))  # `assert low <= high`: neither is later than the other
        return bool(compare(*(self.scalar(a) if is_tensor(a) else a for a in call.args[:2])))

    def array(self, tensor: torch.Tensor, what: str) -> torch.Tensor:
        """A real tensor for `numpy()` and `tolist()`: the value, or zeros that are reported."""
        record = find(tensor)
        known = None if record is None or record.twin is None else view_of(record.twin, tensor)
        if known is not None and record is not None and not record.assumed:
            return known
        fill = self.answers.filling() if tensor.is_floating_point() else None
        if fill is not None:
            self.recorder.assume(what, "other values in each round")
            return torch.full(tuple(tensor.shape), min(fill, torch.finfo(tensor.dtype).max), dtype=tensor.dtype)
        if tensor.numel() or known is not None:
            self.recorder.assume(what, "zeros" if known is None else "stand-in values")
        return torch.zeros(tuple(tensor.shape), dtype=tensor.dtype) if known is None else known

    def hosted(self, plan: Plan, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments with real tensors where C++ reads lengths, batch sizes or split points from memory."""
        real = list(args)
        for i in plan.host:
            if i < len(args) and is_tensor(args[i]) and find(args[i]) is not None:
                value = self.array(args[i], plan.short)
                real[i] = value.clamp(min=1) if plan.names[i] in ("lengths", "batch_sizes") else value
        return tuple(real)

    def dependent(self, call: Call, execute: Callable[[Call], Any]) -> Any:
        """An op whose result's shape depends on values; `execute` runs one on meta tensors."""
        short = call.plan.short
        if short in ("index", "index_put", "index_put_", "_index_put_impl_", "_unsafe_index", "_unsafe_index_put"):
            self._masks(call)
            return execute(call)
        if short == "masked_select":
            source, mask = torch.broadcast_tensors(torch.atleast_1d(call.args[0]), call.args[1])
            return torch.ops.aten.index.Tensor(source, list(self._where(mask)))
        return self.stand_in(call)

    def _masks(self, call: Call) -> None:
        """Replace boolean masks among the indices by the indices they select."""
        indices = call.args[1]
        if not any(i is not None and i.dtype in (torch.bool, torch.uint8) for i in indices):
            return
        flat: list[torch.Tensor | None] = []
        for i in indices:
            if i is None or i.dtype not in (torch.bool, torch.uint8):
                flat.append(i)
            elif i.dim() == 0:
                flat.append(torch.empty(int(self.scalar(i)), dtype=torch.int64, device="meta"))
            else:
                flat.extend(self._where(i))
        args = list(call.args)
        args[1] = flat
        if call.plan.short.startswith(("index_put", "_index_put")) and flat and flat[0] is not None:
            args[2] = self._fitting(args[2], flat[0].shape[0])
        call.args = tuple(args)
        call.gather()

    def _fitting(self, source: torch.Tensor, count: int) -> torch.Tensor:
        """Values for a masked write whose mask is a guess: as many as the mask selects."""
        if source.dim() and source.shape[0] not in (1, count):
            record = find(source)
            source = torch.empty((count, *source.shape[1:]), dtype=source.dtype, device="meta")
            if record is not None:
                attach(source, Record(record.device, record.dtype_origin, record.device_origin))
        return source

    def _where(self, mask: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """The indices that a mask selects, as `nonzero(as_tuple=True)` gives them."""
        record = find(mask)
        if record is None or record.twin is None:
            self.recorder.assume("boolean mask", "all True")
            count, real = mask.numel() // (2 if self.answers.thinning() else 1), None
        else:
            real = view_of(record.twin, mask).nonzero(as_tuple=True)
            if record.assumed:
                self.recorder.assume("boolean mask", "stand-in values")
                if real[0].numel() == mask.numel() and self.answers.thinning():  # less than all gets on by itself
                    real = tuple(index[: index.numel() // 2] for index in real)
            count = real[0].numel()
        found = tuple(torch.empty(count, dtype=torch.int64, device="meta") for _ in range(mask.dim()))
        for i, index in enumerate(found):
            attach(index, Record(record.device if record else None, None, None))
            if real is not None:
                self.keep(index, real[i], assumed=bool(record and record.assumed))
        return found

    def stand_in(self, call: Call) -> Any:
        """Run an op that meta kernels cannot run on real CPU tensors: known values, ones and zeros elsewhere."""
        if sum(t.numel() for t in call.tensors) > 1 << 24:
            raise NotImplementedError(
                f"{call.plan.name} has no meta kernel and its operands are too large to stand in for"
            )
        assumed = not call.known or any(r.assumed for r in call.records)
        if not call.known:
            self.recorder.assume(call.plan.short, "result of stand-in operands")
        with torch.no_grad(), Exclude(_BELOW):
            real = call.on_cpu(_stand_in)
            if call.plan.short == "nonzero" and assumed and not len(real) and call.records[0].twin is None:
                real = torch.ones(call.tensors[0].shape).nonzero()  # as of a mask of which nothing is known
            whole = call.plan.short == "nonzero" and assumed and len(real) == call.tensors[0].numel()
            if whole and self.answers.thinning():
                real = real[: real.shape[0] // 2].clone()
        return linked(over(real, partial(self._fresh, assumed=assumed)), call.tensors)

    def _fresh(self, real: torch.Tensor, *, assumed: bool) -> torch.Tensor:
        if not is_plain(real):
            return real
        virtual = torch.empty_strided(real.size(), real.stride(), dtype=real.dtype, device="meta")
        if not (assumed and real.is_floating_point()):
            self.pending.append((virtual, real, assumed))
        return virtual

    def run(self, call: Call) -> Any:
        """The op's result on the values of its operands, which must all be known; or UNKNOWN."""
        try:
            with torch.no_grad(), Exclude(_BELOW):
                return call.on_cpu(_known)
        except (RuntimeError, NotImplementedError, IndexError, TypeError, ValueError) as error:
            self.recorder.met(error)
            return UNKNOWN  # the CPU has no such kernel, or a stand-in was no valid index: the value is unknown then

    def _spoil(self, call: Call) -> None:
        """What an op with unknown operands wrote is unknown; small integers keep a stand-in."""
        for name, tensor, record in call.named():
            if name.split("[")[0] in call.plan.writes:
                self.written(tensor, record)
                record.span = _span(call) if call.plan.short == "uniform_" else None

    def written(self, tensor: torch.Tensor, record: Record) -> None:
        """Something unknown was written to a tensor; a small integer keeps its number, as a stand-in."""
        if record.twin is not None:
            if tensor.is_floating_point():
                record.twin = None
            else:
                record.assumed = True


def _span(call: Call) -> tuple[float, float] | None:
    """Between what `uniform_` fills with numbers; None if the bounds are no numbers."""
    given = dict(call.given())
    low, high = given.get("from", 0.0), given.get("to", 1.0)
    return (low, high) if isinstance(low, (int, float)) and isinstance(high, (int, float)) else None


def _certain(call: Call) -> bool:
    """Whether the truth of one operand decides, whatever the stand-ins are: `x & False`, `x & 0`, `x | True`."""
    decides = _DECIDES.get(call.plan.short.strip("_"))
    if decides is None:
        return False
    out = torch.broadcast_shapes(*(t.shape for t in call.tensors))
    known = [(t, r.twin) for _, t, r in call.named() if not r.assumed and r.twin is not None and t.shape == out]
    of_kind = [(t, twin) for t, twin in known if not decides or t.dtype is torch.bool]
    return any(bool((view_of(twin, t) == decides).all()) for t, twin in of_kind)


def _known(tensor: torch.Tensor) -> torch.Tensor:
    record = find(tensor)
    return tensor if record is None or record.twin is None else view_of(record.twin, tensor)


def _stand_in(tensor: torch.Tensor) -> torch.Tensor:
    known = _known(tensor)
    return filled(known, known.dtype is torch.bool) if is_meta(known) else known


def _among(call: Call) -> int:
    """How many there are of which an op picks one."""
    dim = dict(call.given()).get("dim", -1 if call.plan.short == "multinomial" else None)
    source = call.tensors[0]
    return source.shape[dim] if type(dim) is int and source.dim() else source.numel()


def _draws_once(call: Call) -> bool:
    return call.plan.short == "multinomial" and not dict(call.given()).get("replacement", False)


def _tensors(tree: Any) -> list[torch.Tensor]:
    if is_tensor(tree):
        return [tree]
    return [t for t in tree if is_tensor(t)] if isinstance(tree, (list, tuple)) else []
