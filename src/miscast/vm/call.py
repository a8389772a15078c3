"""One op call, as gathered from its arguments: tensors, records, the dtypes and the device that they share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ..torch_facts.contracts import PYTHON_NUMBER, Input
from .provenance.record import (
    TENSOR_TYPES,
    Record,
    attach,
    device_of,
    find,
    is_meta,
    is_tensor,
    tensors_by_name,
)
from .virtualize import is_plain, virtualize

if TYPE_CHECKING:
    from collections.abc import Callable

    from .schema import Args, Kwargs, Plan


_NUMBERS: dict[type, str] = {
    bool: "bool", int: "int64", float: "float32", complex: "complex64",
}  # fmt: skip


class Call:
    """The operands of one call, as gathered from its arguments."""

    __slots__ = (
        "args", "device", "dtypes", "known", "kwargs", "mixed", "plan", "real", "records", "tensors",
    )  # fmt: skip

    def __init__(
        self, plan: Plan, args: Args, kwargs: Kwargs, *, real: bool = False
    ) -> None:
        """Gather tensors and records; real tensors are replaced by virtual ones. `real`: some cannot be."""
        self.real = real
        self.plan = plan
        self.args = args
        self.kwargs = kwargs
        self.gather()

    def gather(self) -> None:
        """Read tensors, records, dtypes and the common device off the arguments."""
        tensors = _tensors(self.plan, self.args, self.kwargs)
        records: list[Record] = []
        known = bool(tensors)
        for t in tensors:
            record = find(t) or self._first_seen(t)
            if record is None:
                return self._virtualize()
            if record.twin is None:
                known = False
            records.append(record)
        self.tensors = tensors
        self.records = records
        self.dtypes = tuple([t.dtype for t in tensors])
        self.known = known
        self.device, self.mixed = _common_device(tensors, records)
        return None

    def _first_seen(self, tensor: torch.Tensor) -> Record | None:
        """Return the record of a tensor that has none yet; None where a virtual tensor is to take its place."""
        virtual = is_meta(tensor)
        if not virtual and is_plain(tensor):
            return None
        unsaid = virtual or self.real  # within an op on real ones nothing is labelled
        return attach(tensor, Record(None if unsaid else device_of("cpu"), None, None))

    def _virtualize(self) -> None:
        self.args = tuple(virtual_tree(a) for a in self.args)
        self.kwargs = {name: virtual_tree(a) for name, a in self.kwargs.items()}
        self.gather()

    def named(self) -> list[tuple[str, torch.Tensor, Record]]:
        """Return the operands with ATen's names, in the order of the schema."""
        plan, args, kwargs = self.plan, self.args, self.kwargs
        pairs = [(plan.names[i], args[i]) for i in plan.tensors if i < len(args)]
        pairs += [(name, kwargs[name]) for name in plan.keywords if name in kwargs]
        return [
            (name, t, find(t) or Record(None, None, None))
            for name, t in tensors_by_name(pairs)
        ]

    def given(self) -> list[tuple[str, Any]]:
        """Return the arguments by name, in the order of the schema."""
        names, kwargs = self.plan.names, self.kwargs
        return [
            *zip(names, self.args, strict=False),
            *((n, kwargs[n]) for n in names if n in kwargs),
        ]

    def inputs(self) -> list[Input]:
        """Return the operands as contracts see them: tensors and Python numbers, in the order of the schema."""
        numbers, found = self.plan.numbers, []
        for name, a in self.given():
            if name in numbers and a.__class__ in _NUMBERS:
                found.append(
                    Input(
                        name=name,
                        dtype=_NUMBERS[a.__class__],
                        device="meta",
                        dim=PYTHON_NUMBER,
                    )
                )
            else:
                found += [_input(*operand) for operand in tensors_by_name([(name, a)])]
        return found

    @property
    def kind(self) -> str:
        """The kind of device that the call is on: "cpu" where no operand says one."""
        return self.device.type if self.device is not None else "cpu"

    @property
    def is_attention(self) -> bool:
        """True if it is one for which torch chooses among kernels of attention."""
        contract = self.plan.contract(self.kind)
        return contract is not None and contract.attention

    def put(self, name: str, value: Any) -> None:
        """Give an argument that is no tensor, in the place of one that is given."""
        at = self.plan.names.index(name)
        if at < len(self.args):
            self.args = (*self.args[:at], value, *self.args[at + 1 :])
        else:
            self.kwargs = {**self.kwargs, name: value}

    def replace(self, changed: dict[str, torch.Tensor]) -> None:
        """Put other tensors in the place of named operands."""
        plan = self.plan

        def of(name: str, a: Any) -> Any:
            if isinstance(a, (list, tuple)):
                return type(a)(changed.get(f"{name}[{i}]", t) for i, t in enumerate(a))
            return changed.get(name, a)

        self.args = tuple(
            of(plan.names[i], a) if i in plan.tensors else a
            for i, a in enumerate(self.args)
        )
        self.kwargs = {
            n: of(n, a) if n in plan.keywords else a for n, a in self.kwargs.items()
        }
        self.gather()

    def on_cpu(self, of: Callable[[torch.Tensor], Any]) -> Any:
        """Return the result of torch's CPU kernel, with `of(tensor)` in the place of each tensor."""

        def argument(a: Any) -> Any:
            return torch.device("cpu") if isinstance(a, torch.device) else over(a, of)

        return self.plan.kernel(
            *map(argument, self.args),
            **{name: argument(a) for name, a in self.kwargs.items()},
        )


def _tensors(plan: Plan, args: Args, kwargs: Kwargs) -> list[torch.Tensor]:
    count = len(args)
    given = [args[i] for i in plan.tensors if i < count]
    if plan.keywords:
        given += [kwargs[name] for name in plan.keywords if name in kwargs]
    found: list[torch.Tensor] = []
    for a in given:
        if TENSOR_TYPES[type(a)]:
            found.append(a)
        elif isinstance(a, (list, tuple)):
            found += filter(is_tensor, a)
    return found


def _common_device(
    tensors: list[torch.Tensor], records: list[Record]
) -> tuple[torch.device | None, bool]:
    """Return the device of a call, and whether operands are on others; a number on the CPU goes along with any."""
    first = None
    for record in records:
        device = record.device
        if device is not first and device is not None:
            if first is not None:
                pairs = zip(tensors, records, strict=True)
                with_dims = (
                    r.device
                    for t, r in pairs
                    if r.device and (t.dim() or r.device.type != "cpu")
                )
                return next(with_dims, first), True
            first = device
    return first, False


def _input(name: str, tensor: torch.Tensor) -> Input:
    record = find(tensor)
    device = record.device if record is not None else None
    return Input(
        name=name,
        dtype=str(tensor.dtype)[6:],
        device=str(device or "meta"),
        dim=tensor.dim(),
    )


def over(a: Any, of: Callable[[torch.Tensor], Any]) -> Any:
    """Return an argument or a result with `of` it in the place of each tensor, also in lists."""
    if is_tensor(a):
        return of(a)
    return type(a)(over(x, of) for x in a) if isinstance(a, (list, tuple)) else a


def virtual_tree(a: Any) -> Any:
    """Return an argument with the real tensors in it made virtual."""
    return over(a, _virtual)


def _virtual(tensor: torch.Tensor) -> torch.Tensor:
    if is_meta(tensor):
        return tensor
    return virtualize(tensor, op="tensor", kind="given", own=False)
