"""One op call, as gathered from its arguments: tensors, records, the dtypes and the device that they share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ..contracts import PYTHON_NUMBER, Input
from ..provenance.record import Record, attach, device_of, find, is_meta, is_tensor
from .virtualize import is_plain, virtualize

if TYPE_CHECKING:
    from collections.abc import Callable

    from .schema import Plan


_NUMBERS: dict[type, str] = {bool: "bool", int: "int64", float: "float32", complex: "complex64"}


class Call:
    """The operands of one call, as gathered from its arguments."""

    __slots__ = (
        "args",
        "device",
        "dtypes",
        "known",
        "kwargs",
        "mixed",
        "plan",
        "real",
        "records",
        "tensors",
    )

    def __init__(
        self, plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any], *, real: bool = False
    ) -> None:
        """Gather tensors and records; real tensors are replaced by virtual ones. `real`: some cannot be."""
        self.real = real
        self.plan = plan
        self.args = args
        self.kwargs = kwargs
        self.gather()

    def gather(self) -> None:
        """Read tensors, records, dtypes and the common device off the arguments."""
        plan, args, kwargs = self.plan, self.args, self.kwargs
        tensors: list[torch.Tensor] = []
        count = len(args)
        for i in plan.tensors:
            if i >= count:
                break
            a = args[i]
            if a.__class__ is list or a.__class__ is tuple:
                tensors += [t for t in a if t is not None and is_tensor(t)]
            elif a is not None and is_tensor(a):
                tensors.append(a)
        for name in plan.keywords:
            a = kwargs.get(name)
            if a is not None:
                tensors += [t for t in a if t is not None] if isinstance(a, (list, tuple)) else [a]
        records: list[Record] = []
        device = None
        mixed, known = False, True
        for t in tensors:
            record = find(t)
            if record is None:
                if not is_meta(t) and is_plain(t):
                    return self._virtualize()
                unsaid = is_meta(t) or self.real  # within an op on real ones nothing is labelled
                record = attach(t, Record(None if unsaid else device_of("cpu"), None, None))
            records.append(record)
            if record.twin is None:
                known = False
            d = record.device
            if d is not device and d is not None:
                if device is None:
                    device = d
                else:
                    mixed = True
        self.tensors = tensors
        self.records = records
        self.dtypes = tuple([t.dtype for t in tensors])
        if mixed:  # a number on the CPU goes along with tensors elsewhere
            pairs = zip(tensors, records, strict=True)
            device = next((r.device for t, r in pairs if r.device and (t.dim() or r.device.type != "cpu")), device)
        self.device = device
        self.mixed = mixed
        self.known = known and bool(tensors)
        return None

    def _virtualize(self) -> None:
        self.args = tuple(virtual_tree(a) for a in self.args)
        self.kwargs = {name: virtual_tree(a) for name, a in self.kwargs.items()}
        self.gather()

    def named(self) -> list[tuple[str, torch.Tensor, Record]]:
        """The operands with ATen's names, in the order of the schema."""
        found: list[tuple[str, torch.Tensor, Record]] = []
        pairs = [(self.plan.names[i], self.args[i]) for i in self.plan.tensors if i < len(self.args)]
        pairs += [(n, self.kwargs[n]) for n in self.plan.keywords if n in self.kwargs]
        for name, a in pairs:
            if isinstance(a, (list, tuple)):
                found += [
                    (f"{name}[{i}]", t, find(t) or Record(None, None, None)) for i, t in enumerate(a) if is_tensor(t)
                ]
            elif is_tensor(a):
                found.append((name, a, find(a) or Record(None, None, None)))
        return found

    def given(self) -> list[tuple[str, Any]]:
        """The arguments by name, in the order of the schema."""
        names, kwargs = self.plan.names, self.kwargs
        return [*zip(names, self.args, strict=False), *((n, kwargs[n]) for n in names if n in kwargs)]

    def inputs(self) -> list[Input]:
        """The operands as contracts see them: tensors and Python numbers, in the order of the schema."""
        plan, found = self.plan, []
        for name, a in self.given():
            if is_tensor(a):
                found.append(_input(name, a))
            elif a.__class__ in (list, tuple):
                found += [_input(f"{name}[{i}]", t) for i, t in enumerate(a) if is_tensor(t)]
            elif name in plan.numbers and a.__class__ in _NUMBERS:
                found.append(Input(name=name, dtype=_NUMBERS[a.__class__], device="meta", dim=PYTHON_NUMBER))
        return found

    def replace(self, changed: dict[str, torch.Tensor]) -> None:
        """Put other tensors in the place of named operands."""
        plan = self.plan

        def of(name: str, a: Any) -> Any:
            if isinstance(a, (list, tuple)):
                return type(a)(changed.get(f"{name}[{i}]", t) for i, t in enumerate(a))
            return changed.get(name, a)

        self.args = tuple(of(plan.names[i], a) if i in plan.tensors else a for i, a in enumerate(self.args))
        self.kwargs = {n: of(n, a) if n in plan.keywords else a for n, a in self.kwargs.items()}
        self.gather()


    def on_cpu(self, of: Callable[[torch.Tensor], Any]) -> Any:
        """What torch's own kernel on the CPU makes of the call, with what `of` gives in the place of each tensor."""

        def argument(a: Any) -> Any:
            return torch.device("cpu") if isinstance(a, torch.device) else over(a, of)

        return self.plan.op(*map(argument, self.args), **{name: argument(a) for name, a in self.kwargs.items()})


def _input(name: str, tensor: torch.Tensor) -> Input:
    record = find(tensor)
    device = record.device if record is not None else None
    return Input(name=name, dtype=str(tensor.dtype)[6:], device=str(device or "meta"), dim=tensor.dim())


def over(a: Any, of: Callable[[torch.Tensor], Any]) -> Any:
    """An argument or a result with `of` it in the place of each tensor, also in lists."""
    if is_tensor(a):
        return of(a)
    return type(a)(over(x, of) for x in a) if isinstance(a, (list, tuple)) else a


def virtual_tree(a: Any) -> Any:
    """An argument with the real tensors in it made virtual."""
    return over(a, _virtual)


def _virtual(tensor: torch.Tensor) -> torch.Tensor:
    return tensor if is_meta(tensor) else virtualize(tensor, op="tensor", kind="given", own=False)
