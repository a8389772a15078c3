"""Every op of the program comes through here, above autograd and autocast, with the operands as the caller gave them.

The op is judged by its contract, mended if it broke it, run on meta tensors, and its results labelled with device,
origin and (where known) value. Torch sees only `meta`; the program sees the virtual machine.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from ..running.torch_abi import DispatchKeySet, OpOverload, tracing_state
from ..torch_facts.autocast import ACTS_INSIDE
from . import custom_ops, real_tensors, specials, strides
from .autocast_key import Autocast
from .call import Call, over, virtual_tree
from .composed import Composed
from .fused_kernels import fused
from .judging.eager_confirmation import is_unusual
from .judging.numbers import NUMBERED, check_generator, check_numbers
from .judging.op_errors import ERRORS
from .judging.recovery import Recovery
from .judging.verdict import Judge, Verdict
from .key import KEYSET, Exclude
from .labels import Labels
from .opening import Opening
from .provenance.library_imports import AT_WORK, imports_library
from .provenance.record import device_of
from .schema import Args, Kwargs, Plan
from .specials import moves
from .values.limits import limited
from .values.propagation import Values
from .wrapper_subclasses import Following, numbers_as_tensors

if TYPE_CHECKING:
    from .machine import VirtualMachine


class Dispatcher:
    """The handler of the dispatch key."""

    def __init__(self, vm: VirtualMachine, lacking: frozenset[torch.dtype]) -> None:
        """Start with the dtypes in `lacking`, which the machine does not fully support."""
        self.recorder = vm.recorder
        self.memory = vm.memory
        self.observed = vm.observed
        self.numerics = vm.numerics
        self.vm = vm
        self.wrapped = Following()
        self.only_real = False  # whether there were tensors that cannot be data-less
        self.indexed = vm.indexed
        self.device_type = vm.machine.device
        self.labels = Labels(vm.recorder, self.device_type, lacking)
        self.values = Values(vm.recorder)
        self.autocast = Autocast(vm.recorder, vm.memory, self.device_type, self.plan)
        self.judge = Judge(vm.machine, self.autocast.dtype)
        self.recovery = Recovery(vm.recorder, self.values, self.made)
        self.last_device = device_of("cpu")
        self.ambient: list[torch.device] = []
        # are told of each op
        self.watches: list[Callable[[Plan, tuple[Any, ...], dict[str, Any]], None]] = []
        # by the identity of ops, whose own hash is a call in Python; each plan keeps its op alive
        self._plans: dict[int, Plan] = {}
        self.composed = Composed(vm.machine, vm.memory, self.plan)
        self.opening = Opening(self)

    def __call__(self, op: Any, *args: Any, **kwargs: Any) -> Any:
        """Run one op for the program."""
        try:
            if (
                self.wrapped.begun
                and (keys := self.wrapped.onward(op, args, kwargs)) is not None
            ):
                return self._onward(self.plan(op), keys, args, kwargs)
            if self.composed.depth:
                return self.composed.inner(op, args, kwargs)
            plan = self._plans.get(id(op)) or self.plan(op)
            if not AT_WORK or not imports_library():
                self.recorder.ops += 1
                if self.recorder.ops > self.recorder.last:
                    self.recorder.past_last()
            if self.watches:
                for watch in (*self.watches,):  # one may leave
                    watch(plan, args, kwargs)
            if (
                self.only_real
                and plan.special is not moves.to
                and real_tensors.among(args, kwargs)
            ):
                with Exclude(KEYSET):
                    return self.run(Call(plan, args, kwargs, real=True))
            return self._by_kind(plan, args, kwargs)
        except BaseException as error:
            self.recorder.met(error)  # the program may swallow it
            raise

    def _onward(
        self, plan: Plan, keys: DispatchKeySet, args: Args, kwargs: Kwargs
    ) -> Any:
        """Hand the op on to a tensor of a class that handles ops itself; attention as the device's own kernel."""
        if plan.short == "scaled_dot_product_attention":
            made = fused(Call(plan, args, kwargs), self.vm.machine)
            if made is not None:
                return made[0]
        return plan.op.redispatch(
            keys, *numbers_as_tensors(args, plan.tensors), **kwargs
        )

    def _by_kind(self, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
        """Open the op, or run it as one."""
        opening = self.opening
        if plan.composite and plan.special is None and opening.opens(plan, args):
            return self._composite(plan, args, kwargs)
        if plan.name in ACTS_INSIDE and self.autocast.on():
            return opening.below_autograd(plan, args, kwargs)
        if plan.registered and (below := opening.kernel(plan, args)) is not None:
            return opening.registered(plan, args, kwargs, below)
        if plan.special is None:
            return self.run_whole(plan, args, kwargs)
        with Exclude(KEYSET):
            seen = self.numerics.begin(plan, args, kwargs)
            out = plan.special(self, plan, args, kwargs)
            self.memory.count(plan, out)
            self.memory.metered(plan, args, kwargs, out)
            if seen is not None:
                self.numerics.end(seen, out)
            return out

    def _composite(self, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
        """Return the result of a composite op, whose parts are dispatched separately."""
        seen = self.numerics.begin(plan, args, kwargs)
        out = self.opening.composite(plan, args, kwargs)
        if seen is not None:
            with Exclude(KEYSET):
                self.numerics.end(seen, out, opened=True)
        return out

    def run_whole(self, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
        """Run the op as a single call of the program, without recording the ops within it."""
        with Exclude(KEYSET):
            out = self.run(Call(plan, args, kwargs))
            self.memory.count(plan, out)
            return out

    def meter(self, told: Callable[[Plan, Any, Any, Any], None]) -> None:
        """Report each kernel that runs from now on; for composite ops, the kernels within them."""
        self.memory.metered = told

    def plan(self, op: OpOverload) -> Plan:
        """Return what there is to know of an op, read once."""
        found = self._plans.get(id(op))
        if found is None:
            with Exclude(KEYSET):
                found = self._plans[id(op)] = Plan(op, specials.of(op))
        return found

    def run(self, call: Call) -> Any:
        """Run the op: cast as autocast would, check, fix the operands, execute, and label the results."""
        before, given = self.recorder.broken, call.dtypes
        if call.device is not None:
            self.last_device = self.memory.device = call.device
        bare = (
            self.autocast.apply(call) if call.tensors and self.autocast.on() else None
        )
        verdict = self.check(call) if self._judged(call) else None
        self._check_arguments(call)
        if not call.plan.view:
            self.observed.op(call.plan.short, call.dtypes, call.device)
        seen = self.numerics.begin(call.plan, call.args, call.kwargs)
        try:
            out = self.made(call, verdict)
        except ERRORS as error:
            back = self.recovery.unforeseen(
                call, error, told=self.recorder.broken > before
            )
            out = back(self.made(call, verdict))
        if bare is not None and self.autocast.casts_back(call):
            out = over(out, lambda t: t.to(given[0]) if t.is_floating_point() else t)
        if call.plan.short in strides.NAMES:
            strides.lay(call, out)
        self.labels.give(call, out, verdict is not None and verdict.promotes, bare)
        if self._has_values(call):
            self.values.follow(call, out)
        if seen is not None:
            self.numerics.end(seen, out)
        return out

    def check(self, call: Call) -> Verdict | None:
        """Check a call, report its violations, and fix its operands."""
        verdict = self.judge(call)
        return verdict if verdict is None else self.recovery.follow(call, verdict)

    def _judged(self, call: Call) -> bool:
        """Check whether there is a verdict on such calls.

        No contract is of quantized dtypes, torch itself looks at them.
        """
        if call.real and any(t.is_quantized for t in call.tensors):
            return False
        return (
            len(call.tensors) > 1
            or is_unusual(call)
            or (
                call.device is not None
                and self.judge.concerns(call.plan, call.device.type)
            )
        )

    def _check_arguments(self, call: Call) -> None:
        """Check arguments other than tensors: numbers, and a random generator, which meta kernels cannot use."""
        plan = call.plan
        if plan.short in NUMBERED:
            check_numbers(self.recorder, call)
        if plan.generator and call.kwargs.get("generator") is not None:
            check_generator(
                self.recorder,
                self.device_type,
                plan.short,
                call.kwargs["generator"],
                call.device,
            )
            call.kwargs = {**call.kwargs, "generator": None}

    def _has_values(self, call: Call) -> bool:
        """Check whether values go into a result just labelled, or out of what the op writes to."""
        plan = call.plan
        return (
            call.known
            or bool(plan.writes)
            or plan.data_dependent
            or (self.labels.integral and not plan.view)
            or limited(call)
        )

    def made(self, call: Call, verdict: Verdict | None) -> Any:
        """Return the op's result, be its shape known or a matter of values."""
        if call.plan.data_dependent and not call.real:
            return self.values.dependent(call, partial(self.execute, verdict=verdict))
        return self.execute(call, verdict)

    def execute(self, call: Call, verdict: Verdict | None = None) -> Any:
        """Run the op on meta tensors; recover if a meta kernel rejects the call or is missing."""
        if call.real:
            return real_tensors.run(call)
        try:
            return self._on_meta(call)
        except (RuntimeError, TypeError, ValueError) as error:
            return self.recovery.rescue(call, verdict, error)

    def _on_meta(self, call: Call) -> Any:
        plan = call.plan
        if plan.host:
            return virtual_tree(
                plan.op(*self.values.hosted(plan, call.args), **call.kwargs)
            )
        if plan.whole and tracing_state() is None:  # a traced graph has the op
            return self.composed.run(call)
        if plan.registered:
            with custom_ops.sized(call.tensors):
                out = plan.op(*call.args, **call.kwargs)
        else:
            out = plan.op(*call.args, **call.kwargs)
        self.memory.metered(plan, call.args, call.kwargs, out)
        return out
