"""Every op of the program comes through here, above autograd and autocast, with the operands as the caller gave them.

The op is judged by its contract, mended if it broke it, run on meta tensors, and its results labelled with device,
origin and (where known) value. Torch sees only `meta`; the program sees the virtual machine.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from ..autocast import ACTS_INSIDE
from ..provenance.record import device_of, find, is_tensor
from ..torch_private import DispatchKey, DispatchKeySet, OpOverload, has_kernel, tracing_state
from . import custom_ops, specials, strides
from .autocast_key import Autocast
from .call import Call, virtual_tree
from .composed import Composed
from .judging import op_errors
from .judging.caught_errors import prepared
from .judging.eager_confirmation import accepts
from .judging.generators import check_generator
from .judging.numbers import NUMBERED, check_numbers
from .judging.recovery import Recovery
from .judging.verdict import Judge, Verdict
from .key import KEYSET, Exclude
from .labels import Labels
from .real_tensors import OnlyReal
from .schema import COMPOSITE, Plan
from .specials import moves
from .values.health import PREDICATES
from .values.propagation import Values
from .wrapper_subclasses import Following, numbers_as_tensors

if TYPE_CHECKING:
    from .machine import VirtualMachine

# Where a call goes on below autocast: autograd's kernel, then that of the CPU, which is one for all devices and calls
# other ops (`meta` may have a Python one, which autocast would not meet).
_BELOW_AUTOCAST = DispatchKeySet(DispatchKey.AutogradCPU) | DispatchKeySet(
    DispatchKey.CPU
)


class Dispatcher:
    """The handler of the dispatch key."""

    def __init__(self, vm: VirtualMachine, lacking: frozenset[torch.dtype]) -> None:
        """`lacking`: dtypes of which the machine has no full support."""
        self.recorder = vm.recorder
        self.memory = vm.memory
        self.vm = vm
        self.wrapped = Following()
        self.only_real = OnlyReal()
        self.indexed = vm.indexed
        self.device_type = vm.machine.device
        self.labels = Labels(vm.recorder, self.device_type, lacking)
        self.values = Values(vm.recorder)
        self.autocast = Autocast(self)
        self.judge = Judge(vm.machine, self.autocast.dtype)
        self.recovery = Recovery(vm.recorder, self.values, self.made)
        self.last_device = device_of("cpu")
        self.ambient: list[torch.device] = []
        self.watch: Callable[[Plan, tuple[Any, ...], dict[str, Any]], None] | None = None  # is told of each op
        self._plans: dict[Any, Plan] = {}
        self.composed = Composed(self)

    def __call__(self, op: Any, *args: Any, **kwargs: Any) -> Any:
        """Run one op for the program."""
        try:
            if self.wrapped.begun and (keys := self.wrapped.onward(op, args, kwargs)) is not None:
                return op.redispatch(keys, *numbers_as_tensors(args, self.plan(op).tensors), **kwargs)
            if self.composed.depth:
                return self.composed.inner(op, args, kwargs)
            plan = self._plans.get(op) or self.plan(op)
            self.recorder.ops += 1
            if self.watch is not None:
                self.watch(plan, args, kwargs)
            if self.only_real.begun and plan.special is not moves.to and self.only_real.among(args, kwargs):
                with Exclude(KEYSET):
                    return self.run(Call(plan, args, kwargs, real=True))
            return self._by_kind(plan, args, kwargs)
        except BaseException as error:
            self.recorder.met(error)  # the program may swallow it
            raise

    def _by_kind(self, plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Open the op, or run it as one."""
        if plan.composite and plan.special is None and self._opens(plan, args):
            return self._open_composite(plan, args, kwargs)
        if plan.name in ACTS_INSIDE and self.autocast.on():
            return self._open_below(plan, args, kwargs)
        if plan.registered and (below := self._kernel(plan, args)) is not None:
            return self._open_registered(plan, args, kwargs, below)
        special = plan.special
        if special is None:
            return self._run_whole(plan, args, kwargs)
        with Exclude(KEYSET):
            out = special(self, plan, args, kwargs)
            self.memory.count(plan, out)
            return out

    def _run_whole(self, plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        with Exclude(KEYSET):
            out = self.run(Call(plan, args, kwargs))
            self.memory.count(plan, out)
            return out

    def plan(self, op: OpOverload) -> Plan:
        """What there is to know of an op, read once."""
        found = self._plans.get(op)
        if found is None:
            with Exclude(KEYSET):
                found = self._plans[op] = Plan(op, specials.of(op))
        return found

    def _opens(self, plan: Plan, args: tuple[Any, ...]) -> bool:
        """Whether to look inside a composite op: it has no demands of its own, or autocast acts on its inner ops."""
        device = _lead(args) or self.last_device
        contract = plan.contract(device.type)
        if plan.by_shape or contract is None or not contract.demands:
            return plan.policy(device.type) is None or not self.autocast.on()
        return self.autocast.on() and plan.policy(device.type) is None

    def _open_composite(self, plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Look inside a composite op; predicates of health are answered as a whole."""
        refused = self._refused_as_whole(plan, args, kwargs)
        out = self._open_told(plan, args, kwargs) if refused is None else self._open_refused(*refused, args, kwargs)
        if plan.short in PREDICATES:
            with Exclude(KEYSET):
                self.values.settle(Call(plan, args, kwargs), out)
        return out

    def _refused_as_whole(
        self, plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Call, Verdict | None] | None:
        """A call of a composite op that torch is known to refuse, and what to say of it; None if it takes it."""
        device = (_lead(args) or self.last_device).type
        autocast = self.autocast.dtype(device)
        if (autocast and self.judge.table(device) is None) or not self.judge.may_refuse(plan, device):
            return None
        with Exclude(KEYSET):
            call = Call(plan, args, kwargs)
            verdict = self.judge.afresh(call, autocast) if call.tensors else None
            if verdict is None or not verdict.broken:
                return None
            return call, self.judge(call) if autocast else verdict  # without it, the ops within are judged as they come

    def _open_refused(
        self, call: Call, verdict: Verdict | None, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Look inside a call that torch refuses; if nothing within was found, the call itself is at fault."""
        before = self.recorder.broken
        try:
            out = self._open(call.plan, args, kwargs)
        except (RuntimeError, TypeError, ValueError, IndexError) as error:
            self.recorder.met(error)
            if self.recorder.broken > before or prepared(sys._getframe(1), error):
                raise
            self._follow(call, verdict)
            return self._open_mended(call)
        if self.recorder.broken == before and not self.judge.refused_inside(call, verdict):
            self._follow(call, verdict)
        return out

    def _open_mended(self, call: Call) -> Any:
        try:
            return self._open(call.plan, call.args, call.kwargs)
        except op_errors.ERRORS as error:
            return self._open_again(call, error, told=True)

    def _open(
        self, plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any], kernel: Callable[..., Any] | None = None
    ) -> Any:
        self.ambient.append(_lead(args) or self.last_device)
        self.recorder.opened.append(plan.short)
        try:
            if "generator" in kwargs:
                kwargs = {**kwargs, "generator": None}
            if plan.host:
                with Exclude(KEYSET):
                    args = self.values.hosted(plan, args)
            # C++'s own; `decompose` may take a Python one.
            return kernel(*args, **kwargs) if kernel else plan.op._op_dk(COMPOSITE, *args, **kwargs)
        finally:
            self.recorder.opened.pop()
            self.ambient.pop()

    def _open_told(self, plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Look inside; what the composite itself refuses for a dtype is told."""
        before = self.recorder.broken
        try:
            return self._open(plan, args, kwargs)
        except op_errors.ERRORS as error:
            if self.recorder.broken > before or not op_errors.about_dtypes(error):
                raise
            with Exclude(KEYSET):
                call = Call(plan, args, kwargs)
            return self._open_again(call, error, told=False)

    def _open_again(self, call: Call, error: Exception, *, told: bool) -> Any:
        with Exclude(KEYSET):
            back = self.recovery.unforeseen(call, error, told=told)
        out = self._open(call.plan, call.args, call.kwargs)
        with Exclude(KEYSET):
            return back(out)

    def _open_below(self, plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Look inside an op whose kernel torch runs below autograd: its parts leave no node in the graph, it does."""
        if has_kernel(plan.op.name(), "CPU"):  # that one would touch memory
            return self._run_whole(plan, args, kwargs)
        args, kwargs = self.autocast.judged(plan, args, kwargs)
        return self._open(plan, args, kwargs, partial(plan.op.redispatch, _BELOW_AUTOCAST))

    def _kernel(self, plan: Plan, args: tuple[Any, ...]) -> DispatchKeySet | None:
        device = (_lead(args) or self.last_device).type
        return custom_ops.kernel(plan.op, device, autocast=self.autocast.on())

    def _open_registered(
        self, plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any], below: DispatchKeySet
    ) -> Any:
        """Look inside an op that Python code implements; where that fails for a device's sake, its fake does."""
        before = self.recorder.broken
        try:
            return plan.op.redispatch(below, *args, **kwargs)
        except Exception as error:
            self.recorder.met(error)
            if self.recorder.broken > before or not custom_ops.has_fake(plan.op):
                raise
        return self._run_whole(plan, args, kwargs)

    def run(self, call: Call) -> Any:
        """Cast as autocast would, judge, mend, execute, label."""
        plan, before = call.plan, self.recorder.broken
        if call.device is not None:
            self.last_device = self.memory.device = call.device
        bare = self.autocast.apply(call) if call.tensors and self.autocast.on() else None
        verdict = self.check(call) if self._judged(call) else None
        if plan.short in NUMBERED:
            check_numbers(self.recorder, call)
        if plan.generator and call.kwargs.get("generator") is not None:
            check_generator(self.recorder, self.device_type, plan.short, call.kwargs["generator"], call.device)
            call.kwargs = {**call.kwargs, "generator": None}
        try:
            out = self.made(call, verdict)
        except op_errors.ERRORS as error:
            back = self.recovery.unforeseen(call, error, told=self.recorder.broken > before)
            out = back(self.made(call, verdict))
        if plan.short in strides.NAMES:
            strides.lay(call, out)
        self.labels.give(call, out, verdict is not None and verdict.promotes, bare)
        if call.known or plan.writes or plan.data_dependent or (self.labels.integral and not plan.view):
            self.values.follow(call, out)
        return out

    def check(self, call: Call) -> Verdict | None:
        """Judge a call; tell of what it breaks, and mend it."""
        verdict = self.judge(call)
        return verdict if verdict is None else self.recovery.follow(call, verdict)

    def _judged(self, call: Call) -> bool:
        """Whether there is a verdict on such calls: no contract is of quantized dtypes, torch itself looks at them."""
        if call.real and any(t.is_quantized for t in call.tensors):
            return False
        return len(call.tensors) > 1 or (call.device is not None and self.judge.concerns(call.plan, call.device.type))

    def _follow(self, call: Call, verdict: Verdict | None) -> None:
        if verdict is not None:
            with Exclude(KEYSET):
                self.recovery.follow(call, verdict)

    def made(self, call: Call, verdict: Verdict | None) -> Any:
        """The op's result, be its shape known or a matter of values."""
        if call.plan.data_dependent and not call.real:
            return self.values.dependent(call, partial(self.execute, verdict=verdict))
        return self.execute(call, verdict)

    def execute(self, call: Call, verdict: Verdict | None = None) -> Any:
        """Run the op on meta tensors; what meta kernels reject or lack is mended where that is possible."""
        if call.real:
            return self.only_real.run(call)
        try:
            return self._on_meta(call)
        except (RuntimeError, TypeError) as error:
            self.recorder.met(error)
            if not (call.plan.writes or isinstance(error, NotImplementedError)) and accepts(call):
                try:
                    return self.values.stand_in(call)
                except op_errors.ERRORS as refusal:
                    self.recorder.met(refusal)
            return self.recovery.rescue(call, verdict, error)

    def _on_meta(self, call: Call) -> Any:
        plan = call.plan
        if plan.host:
            return virtual_tree(plan.op(*self.values.hosted(plan, call.args), **call.kwargs))
        if plan.whole and tracing_state() is None:  # a traced graph has the op
            return self.composed.run(call)
        if plan.registered:
            with custom_ops.sized(call.tensors):
                return plan.op(*call.args, **call.kwargs)
        return plan.op(*call.args, **call.kwargs)


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
