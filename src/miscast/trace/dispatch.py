"""Every op of the program comes through here, above autograd and autocast, with the operands as the caller gave them.

The op is judged by its contract, mended if it broke it, run on meta tensors, and its results labelled with device,
origin and (where known) value. Torch sees only `meta`; the program sees the virtual machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch

from . import specials
from .autocasting import Autocast
from .origin import Origin, places
from .plan import COMPOSITE, Plan
from .record import Record, attach, bares, carrier, device_of, find, is_meta, is_tensor, widest
from .repair import Repair
from .values import Values
from .virtual import is_plain, virtualize

if TYPE_CHECKING:
    from .vm import VirtualMachine

KEY = torch._C._dispatch_key_parse("TESTING_ONLY_GenericMode")
KEYSET = torch._C.DispatchKeySet(KEY)
Exclude = torch._C._ExcludeDispatchKeyGuard
INTEGRAL = frozenset(
    {
        torch.bool,
        torch.uint8,
        torch.int8,
        torch.int16,
        torch.int32,
        torch.int64,
        torch.uint16,
        torch.uint32,
        torch.uint64,
    }
)


class Call:
    """The operands of one call, as gathered from its arguments."""

    __slots__ = ("args", "device", "dtypes", "known", "kwargs", "mixed", "plan", "records", "tensors", "unfit")

    def __init__(self, plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Gather tensors and records; real tensors are replaced by virtual ones."""
        self.plan = plan
        self.args = args
        self.kwargs = kwargs
        self.unfit = False  # whether the result cannot be written where the program wants it
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
                record = attach(t, Record(None if is_meta(t) else device_of("cpu"), None, None))
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
        self.args = tuple(_virtual(a) for a in self.args)
        self.kwargs = {name: _virtual(a) for name, a in self.kwargs.items()}
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


def _virtual(a: Any) -> Any:
    if is_tensor(a):
        return a if is_meta(a) else virtualize(a, op="tensor", kind="given", own=False)
    if isinstance(a, (list, tuple)):
        return type(a)(_virtual(x) for x in a)
    return a


class Dispatcher:
    """The handler of the dispatch key."""

    def __init__(self, vm: VirtualMachine, lacking: frozenset[torch.dtype]) -> None:
        """`lacking`: dtypes of which the machine has no full support."""
        self.recorder = vm.recorder
        self.vm = vm
        self.indexed = vm.indexed
        self.lacking = lacking
        self.device_type = vm.machine.device
        self.values = Values(vm.recorder)
        self.autocast = Autocast(self)
        self.repair = Repair(self)
        self.last_device = device_of("cpu")
        self.ambient: list[torch.device] = []
        self.last_integral = False
        self._plans: dict[Any, Plan] = {}

    def __call__(self, op: Any, *args: Any, **kwargs: Any) -> Any:
        """Run one op for the program."""
        plan = self._plans.get(op) or self.plan(op)
        self.recorder.ops += 1
        if plan.composite and plan.special is None and self._opens(plan, args):
            return self._open(plan, args, kwargs)
        with Exclude(KEYSET):
            if plan.special is not None:
                return plan.special(self, plan, args, kwargs)
            return self.run(Call(plan, args, kwargs))

    def plan(self, op: torch._ops.OpOverload) -> Plan:
        """What there is to know of an op, read once."""
        found = self._plans.get(op)
        if found is None:
            with Exclude(KEYSET):
                found = self._plans[op] = Plan(op, specials.of(op))
        return found

    def _opens(self, plan: Plan, args: tuple[Any, ...]) -> bool:
        """Whether to look inside a composite op: it has no demands of its own, or autocast acts on its inner ops."""
        device = _lead(args) or self.last_device
        if plan.by_shape or plan.contract(device.type) is None:
            return plan.policy(device.type) is None or not self.autocast.on()
        return self.autocast.on() and plan.policy(device.type) is None

    def _open(self, plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self.ambient.append(_lead(args) or self.last_device)
        try:
            if "generator" in kwargs:
                kwargs = {**kwargs, "generator": None}
            if plan.host:
                with Exclude(KEYSET):
                    args = self.values.hosted(plan, args)
            return plan.op._op_dk(COMPOSITE, *args, **kwargs)  # C++'s own; `decompose` may take a Python one
        finally:
            self.ambient.pop()

    def run(self, call: Call) -> Any:
        """Cast as autocast would, judge, mend, execute, label."""
        plan = call.plan
        if call.device is not None:
            self.last_device = call.device
        bare = None
        if self.autocast.on() and call.tensors:
            bare = self.autocast.apply(call)
        promotes = None
        if len(call.tensors) > 1:
            promotes = self.repair.check(call)
        elif call.device is not None and plan.alone(call.device.type):
            self.repair.check(call)
        if plan.generator and call.kwargs.get("generator") is not None:
            call.kwargs = {**call.kwargs, "generator": None}
        out = self.values.dependent(self, call) if plan.data_dependent else self.execute(call)
        self.label(call, out, promotes, bare)
        if call.known or plan.writes or plan.data_dependent or (self.last_integral and not call.plan.view):
            self.values.follow(call, out)
        return out

    def execute(self, call: Call) -> Any:
        """Run the op on meta tensors; what meta kernels reject or lack is mended where that is possible."""
        try:
            if call.plan.host:
                return _virtual(call.plan.op(*self.values.hosted(call.plan, call.args), **call.kwargs))
            return call.plan.op(*call.args, **call.kwargs)
        except (RuntimeError, NotImplementedError, TypeError) as error:
            return self.repair.rescue(call, error)

    def label(self, call: Call, out: Any, promotes: Any, bare: torch.dtype | None) -> None:
        """Give every new result a record."""
        self.last_integral = False
        if is_tensor(out):
            self._label(call, out, promotes, bare)
        elif isinstance(out, (list, tuple)):
            for one in out:
                if is_tensor(one):
                    self._label(call, one, promotes, bare)

    def _label(self, call: Call, out: torch.Tensor, promotes: Any, bare: torch.dtype | None) -> None:
        dtype = out.dtype
        if dtype in INTEGRAL:
            self.last_integral = True
        record = getattr(carrier(out), "_miscast_record", None)
        if record is not None:
            if record.device is None:
                record.device = call.device
            return
        device_origin = dtype_origin = None
        for r in call.records:
            if r.device is call.device:
                device_origin = r.device_origin
                break
        if bare is not None and dtype is not bare and dtype.is_floating_point:
            dtype_origin = Origin("autocast", call.plan.short, dtype, call.device, places(), None, bare)
            self.chosen(dtype_origin)
        elif promotes:
            dtype_origin = self._promoted(call, dtype)
        else:
            for d, r in zip(call.dtypes, call.records, strict=False):
                if d is dtype:
                    dtype_origin = r.dtype_origin
                    break
            else:
                if dtype.is_floating_point:
                    dtype_origin = Origin("born", call.plan.short, dtype, call.device, places())
        attach(out, Record(call.device, dtype_origin, device_origin))

    def _promoted(self, call: Call, dtype: torch.dtype) -> Origin | None:
        """The first silent promotion: what forced it, if that was one already, else this call."""
        if not dtype.is_floating_point:
            return None
        dense = [(t, r) for t, r in zip(call.tensors, call.records, strict=True) if t.dim()]
        wide = [r.dtype_origin for t, r in dense if t.dtype is dtype]
        narrow = [r.dtype_origin for t, r in dense if t.dtype is not dtype and t.dtype.is_floating_point]
        source = next((o for o in wide if o), None)
        if not narrow or (source is not None and source.kind == "promoted"):
            return source
        source = source or next((o for o in narrow if o), None)
        bare = widest(bares(*zip(*dense, strict=True)))
        return Origin("promoted", call.plan.short, dtype, call.device, places(), source, bare)

    def chosen(self, origin: Origin) -> None:
        """Note an origin whose dtype the machine lacks or emulates."""
        if origin.dtype in self.lacking and origin.device is not None and origin.device.type == self.device_type:
            self.recorder.choice(origin)


def _lead(args: Sequence[Any]) -> torch.device | None:
    number = None
    for a in args:
        if a.__class__ in (list, tuple) and len(a) and is_tensor(a[0]):
            a = a[0]  # noqa: PLW2901 - the first of a list speaks for it
        if is_tensor(a):
            record = find(a)
            if record is not None and record.device is not None:
                if a.dim() or record.device.type != "cpu":
                    return record.device
                number = record.device
    return number


Special = Callable[[Dispatcher, Plan, tuple[Any, ...], dict[str, Any]], Any]
