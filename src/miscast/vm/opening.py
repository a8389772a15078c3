"""Ops that are looked into: composite ones, those that autocast acts within, those that Python code registered.

The ops within come back to the dispatcher and are judged as they come. What torch refuses of the op as a whole is told
of where nothing within was.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from ..running.torch_abi import DispatchKey, DispatchKeySet, has_kernel
from . import custom_ops
from .call import Call
from .judging.caught_errors import prepared
from .judging.op_errors import ERRORS, about_dtypes
from .key import KEYSET, Exclude
from .provenance.record import find, is_tensor
from .schema import COMPOSITE
from .values.health import PREDICATES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .dispatch import Dispatcher
    from .judging.verdict import Verdict
    from .schema import Args, Kwargs, Plan

# Where a call goes on below autocast: autograd's kernel, then that of the CPU, which is one for all devices and calls
# other ops (`meta` may have a Python one, which autocast would not meet).
_BELOW_AUTOCAST = DispatchKeySet(DispatchKey.AutogradCPU) | DispatchKeySet(
    DispatchKey.CPU
)


class Opening:
    """Looks into the ops of one dispatcher."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        """Share the dispatcher's call checks, recovery and recorder."""
        self._dispatcher = dispatcher
        self._recorder = dispatcher.recorder
        self._judge = dispatcher.judge
        self._recovery = dispatcher.recovery
        self._autocast = dispatcher.autocast
        self._values = dispatcher.values

    def opens(self, plan: Plan, args: Args) -> bool:
        """Check whether to look inside a composite op.

        It has no demands of its own, or autocast acts on its inner ops.
        """
        device = self._lead(args)
        contract = plan.contract(device.type)
        if plan.by_shape or contract is None or not contract.demands:
            return plan.policy(device.type) is None or not self._autocast.on()
        return self._autocast.on() and plan.policy(device.type) is None

    def composite(self, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
        """Return the result of a composite op, of its parts.

        Predicates of health are answered as the program calls them.
        """
        refused = self._refused(plan, args, kwargs)
        out = (
            self._told(plan, args, kwargs)
            if refused is None
            else self._at_fault(*refused, args, kwargs)
        )
        if plan.short in PREDICATES:
            with Exclude(KEYSET):
                self._values.settle(Call(plan, args, kwargs), out)
        return out

    def below_autograd(self, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
        """Return the result of an op whose kernel runs below autograd: the op has a graph node, its parts do not."""
        if has_kernel(plan.op.name(), "CPU"):  # that one would touch memory
            return self._dispatcher.run_whole(plan, args, kwargs)
        with Exclude(KEYSET):
            call = Call(plan, args, kwargs)
            self._dispatcher.check(call)
        return self._open(
            plan, call.args, call.kwargs, partial(plan.op.redispatch, _BELOW_AUTOCAST)
        )

    def kernel(self, plan: Plan, args: Args) -> DispatchKeySet | None:
        """Return where a call of a registered op goes on; None unless its kernel is Python's."""
        return custom_ops.kernel(
            plan.op, self._lead(args).type, autocast=self._autocast.on()
        )

    def registered(
        self, plan: Plan, args: Args, kwargs: Kwargs, below: DispatchKeySet
    ) -> Any:
        """Return the result of an op that Python code implements; its fake's or CPU's where a device's kernel fails."""
        if plan.name in custom_ops.OF_CODES:
            with Exclude(KEYSET):
                call = Call(plan, args, kwargs)
                violation = custom_ops.converted(call)
                if violation is not None:
                    self._recorder.call(plan.short, violation, call.named())
        out = self._by_python(plan, args, kwargs, below)
        custom_ops.packed(plan.name, out)
        return out

    def _by_python(
        self, plan: Plan, args: Args, kwargs: Kwargs, below: DispatchKeySet
    ) -> Any:
        before = self._recorder.broken
        try:
            if not custom_ops.is_native(plan.op, self._lead(args).type):
                return plan.op.redispatch(below, *args, **kwargs)
        except Exception as error:
            self._recorder.met(error)
            if self._recorder.broken > before:
                raise
            if not custom_ops.has_fake(plan.op):
                of_all = custom_ops.kernel(plan.op, "cpu", autocast=self._autocast.on())
                if of_all is None or of_all == below:
                    raise
                return plan.op.redispatch(of_all, *args, **kwargs)
        return self._dispatcher.run_whole(plan, args, kwargs)

    def _refused(
        self, plan: Plan, args: Args, kwargs: Kwargs
    ) -> tuple[Call, Verdict | None] | None:
        """Return a call that torch is known to refuse as a whole, and what to say of it; None if torch takes it."""
        device = self._lead(args).type
        autocast = self._autocast.dtype(device)
        if (
            autocast and self._judge.table(device) is None
        ) or not self._judge.may_refuse(plan, device):
            return None
        with Exclude(KEYSET):
            call = Call(plan, args, kwargs)
            verdict = self._judge.afresh(call, autocast) if call.tensors else None
            if verdict is None or not verdict.broken:
                return None
            return call, self._judge(call) if autocast else verdict

    def _at_fault(
        self, call: Call, verdict: Verdict | None, args: Args, kwargs: Kwargs
    ) -> Any:
        """Look inside a call that torch refuses; if nothing was found there, the call itself is at fault."""
        before = self._recorder.broken
        try:
            out = self._open(call.plan, args, kwargs)
        except (RuntimeError, TypeError, ValueError, IndexError) as error:
            self._recorder.met(error)
            if self._recorder.broken > before or prepared(sys._getframe(1), error):
                raise
            self._follow(call, verdict)
            return self._mended(call)
        if self._recorder.broken == before and not self._judge.refused_inside(
            call, verdict
        ):
            self._follow(call, verdict)
        return out

    def _follow(self, call: Call, verdict: Verdict | None) -> None:
        if verdict is not None:
            with Exclude(KEYSET):
                self._recovery.follow(call, verdict)

    def _mended(self, call: Call) -> Any:
        try:
            return self._open(call.plan, call.args, call.kwargs)
        except ERRORS as error:
            return self._again(call, error, told=True)

    def _told(self, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
        """Dispatch the parts of a composite op, and report the dtypes that the composite itself refuses."""
        before = self._recorder.broken
        try:
            return self._open(plan, args, kwargs)
        except ERRORS as error:
            if self._recorder.broken > before or not about_dtypes(error):
                raise
            with Exclude(KEYSET):
                call = Call(plan, args, kwargs)
            return self._again(call, error, told=False)

    def _again(self, call: Call, error: Exception, *, told: bool) -> Any:
        with Exclude(KEYSET):
            back = self._recovery.unforeseen(call, error, told=told)
        out = self._open(call.plan, call.args, call.kwargs)
        with Exclude(KEYSET):
            return back(out)

    def _open(
        self,
        plan: Plan,
        args: Args,
        kwargs: Kwargs,
        kernel: Callable[..., Any] | None = None,
    ) -> Any:
        ambient, opened = self._dispatcher.ambient, self._recorder.opened
        ambient.append(self._lead(args))
        opened.append(plan.short)
        try:
            if "generator" in kwargs:
                kwargs = {**kwargs, "generator": None}
            if plan.host:
                with Exclude(KEYSET):
                    args = self._values.hosted(plan, args)
            # C++'s own; `decompose` may take a Python one.
            if kernel:
                return kernel(*args, **kwargs)
            return plan.op._op_dk(COMPOSITE, *args, **kwargs)
        finally:
            opened.pop()
            ambient.pop()

    def _lead(self, args: Sequence[Any]) -> torch.device:
        """Return the device of the first operand with dimensions, else of a number, else of the last call."""
        number = None
        for a in args:
            # the first of a list speaks for it
            tensor = a[0] if a.__class__ in (list, tuple) and len(a) else a
            record = find(tensor) if is_tensor(tensor) else None
            if record is not None and record.device is not None:
                if tensor.dim() or record.device.type != "cpu":
                    return record.device
                number = record.device
        return number or self._dispatcher.last_device
