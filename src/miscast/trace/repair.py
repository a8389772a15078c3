"""Judge a call by its contract; where it broke one, record it, give the op what it expects, and go on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ..contracts import Table, implemented, judge_measured, table_for
from ..event import Violation
from .plan import TORCH_VERSION
from .queries import is_virtual
from .record import Record, attach, device_of, is_meta

if TYPE_CHECKING:
    from .call import Call
    from .dispatch import Dispatcher
    from .plan import Plan

# Ops whose verdict also depends on the operands' dimensions, and so is not remembered by dtypes alone.
_BY_SHAPE = frozenset({"cross_entropy_loss", "inner", "index_put", "index_put_", "nll_loss_backward"})
PLAIN, PROMOTES, UNCHECKED = 0, 1, 2
_CPU = "cpu"
_MANY = 8  # operands, above which only those concerned are told about


class Repair:
    """Contract, verdict, mending."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        """Records go to the dispatcher's recorder."""
        self.dispatcher = dispatcher
        self.recorder = dispatcher.recorder
        self._tables: dict[str, Table | None] = {}
        self._concerns: dict[tuple[str, str], bool] = {}

    def table(self, device: str) -> Table | None:
        """What was measured on a kind of device, with the nearest torch; None: contracts are as declared."""
        try:
            return self._tables[device]
        except KeyError:
            machine = self.dispatcher.vm.machine
            arch = machine.arch if device == machine.device else ""
            found = self._tables[device] = table_for(device, TORCH_VERSION, arch)
            return found

    def concerns(self, plan: Plan, device: str) -> bool:
        """Whether a call with a single tensor can break the op's contract, declared or measured."""
        try:
            return self._concerns[plan.name, device]
        except KeyError:
            c = plan.contract(device)
            declared = c is not None and bool(c.only or c.kernels or c.into or c.on_cpu)
            found = self._concerns[plan.name, device] = declared or self.may_refuse(plan, device)
            return found

    def may_refuse(self, plan: Plan, device: str) -> bool:
        """Whether torch is known to refuse some calls of the op for their dtypes alone."""
        table = self.table(device)
        return implemented(plan.name, device) is not None if table is None else table.refuses_some(plan.name)

    def check(self, call: Call) -> bool:
        """Judge and mend. Whether floating dtypes are mixed in a way that promotes."""
        plan = call.plan
        key = (call.device, call.dtypes, *_kinds(call)) if plan.numbers else (call.device, call.dtypes)
        verdict = plan.uniform.get(key) if not call.mixed else None
        if verdict is None:
            verdict = self._judge(call, key)
        if verdict == UNCHECKED:
            self.recorder.unchecked(plan.name)
        return verdict != PLAIN

    def refuses(self, call: Call) -> bool:
        """Whether the call breaks a contract, declared or measured."""
        return bool(self._violations(call))

    def _violations(self, call: Call) -> tuple[Violation, ...]:
        kind = call.device.type if call.device else _CPU
        return judge_measured(call.plan.contract(kind), self.table(kind), call.plan.name, kind, call.inputs())

    def _judge(self, call: Call, key: Any) -> int:
        plan = call.plan
        named = call.named()
        violations = self._violations(call)
        told: set[tuple[str, str]] = set()
        for violation in violations:
            about = (violation.kind, violation.odd[0].split("[")[0] if violation.odd else "")
            if about not in told:  # a foreach op breaks its contract once, not once for each parameter
                told.add(about)
                concerned = {*violation.odd, violation.like} if len(named) > _MANY else None
                self.recorder.call(plan.short, violation, [o for o in named if not concerned or o[0] in concerned])
            call.unfit = call.unfit or violation.kind == "kind"
            self.mend(call, violation)
        floating = {t.dtype for t in call.tensors if t.dtype.is_floating_point and t.dim()}
        verdict = PROMOTES if len(floating) > 1 else PLAIN
        if self._unknown(call) and len(set(call.dtypes)) > 1 and not violations:
            verdict = UNCHECKED
        settled = not violations and not call.mixed and plan.short not in _BY_SHAPE
        if settled and (len(call.tensors) == 1 or all(t.dim() for t in call.tensors)):
            plan.uniform[key] = verdict
        return verdict

    def _unknown(self, call: Call) -> bool:
        """Whether neither a contract nor a table speaks of the op."""
        kind = call.device.type if call.device else _CPU
        table = self.table(kind)
        return call.plan.contract(kind) is None and (table is None or call.plan.name not in table.ops)

    def generator(self, op: str, generator: torch.Generator | None, device: torch.device | None) -> None:
        """Judge the random generator given to an op on `device` (ATen/core/Generator.h, check_generator)."""
        if generator is None or device is None:
            return
        kind = self.dispatcher.device_type if is_virtual(generator) else "cpu"
        if kind == device.type:
            return
        error = f"Expected a '{device.type}' device type for generator but found '{kind}'"
        violation = Violation(kind="device", odd=("generator",), expected=str(device), error=error)
        state = torch.empty(0, dtype=torch.uint8, device="meta")
        self.recorder.call(op, violation, [("generator", state, Record(device_of(kind), None, None))])

    def mend(self, call: Call, violation: Violation) -> None:
        """Cast or move the operands that do not fit (what the op writes stays; the others follow it then)."""
        named = {n: (t, r) for n, t, r in call.named()}
        odd = [n for n in violation.odd if n in named]
        like = named.get(violation.like or "")
        written = [n for n in odd if n.split("[")[0] in call.plan.writes]
        changed: dict[str, torch.Tensor] = {}
        if violation.kind == "device":
            target = named[written[0]][1].device if written else device_of(violation.expected)
            for name in [n for n in named if named[n][1].device is not target] if written else odd:
                if name not in written:
                    changed[name] = self.moved(*named[name], target, like[1] if like else None)
        elif violation.kind in ("dtype", "kind"):
            dtype = named[written[0]][0].dtype if written else getattr(torch, violation.expected, None)
            names = [n for n in named if named[n][0].dtype is not dtype] if written else odd
            for name in names:
                if name not in written and dtype is not None:
                    changed[name] = self.cast(*named[name], dtype, like[1] if like else None)
        if changed:
            call.replace(changed)

    def cast(self, tensor: torch.Tensor, record: Record, dtype: torch.dtype, like: Record | None) -> torch.Tensor:
        """A cast that the program should have made; differentiable."""
        out: torch.Tensor = torch.ops.aten._to_copy.default(tensor, dtype=dtype)
        new = Record(record.device, like.dtype_origin if like else None, record.device_origin)
        attach(out, new)
        return out

    def moved(
        self, tensor: torch.Tensor, record: Record, device: torch.device | None, like: Record | None
    ) -> torch.Tensor:
        """A move that the program should have made; differentiable."""
        out: torch.Tensor = torch.ops.aten._to_copy.default(tensor)
        attach(out, Record(device, record.dtype_origin, like.device_origin if like else None))
        relabel_gradient(out, record.device)
        return out

    def rescue(self, call: Call, error: Exception) -> Any:
        """A meta kernel refused: a mismatch that no contract foresaw, no meta kernel, or the program's own error."""
        text = str(error)
        floating = [t.dtype for t in call.tensors if t.dtype.is_floating_point]
        if len(set(floating)) > 1 and "dtype" in text.lower() + " dtype" * ("scalar type" in text):
            named = call.named()
            like = next((n for n, t, _ in named if n in ("weight", "self") and t.dtype.is_floating_point), named[0][0])
            expected = next(t.dtype for n, t, _ in named if n == like)
            odd = tuple(n for n, t, _ in named if t.dtype.is_floating_point and t.dtype is not expected)
            violation = Violation(
                kind="dtype", odd=odd, expected=str(expected)[6:], like=like, error=text.splitlines()[0]
            )
            self.recorder.call(call.plan.short, violation, named)
            self.mend(call, violation)
            return call.plan.op(*call.args, **call.kwargs)
        if call.unfit:  # reported: the target stays as it is
            return next(t for n, t, _ in call.named() if n in call.plan.writes)
        if isinstance(error, NotImplementedError) or not all(map(is_meta, call.tensors)):
            if call.device is None or call.plan.contract(call.device.type) is None:
                self.recorder.unchecked(call.plan.name)
            return self.dispatcher.values.stand_in(call)
        raise error


def _kinds(call: Call) -> list[type]:
    numbers = call.plan.numbers
    given = [a.__class__ for name, a in zip(call.plan.names, call.args, strict=False) if name in numbers]
    return [*given, *(a.__class__ for name, a in call.kwargs.items() if name in numbers)]


def relabel_gradient(out: torch.Tensor, device: torch.device | None) -> None:
    """Let the gradient of a move arrive on the device that the moved tensor came from."""
    node = out.grad_fn
    if node is None:
        return

    def back(grads: tuple[torch.Tensor | None, ...], _: Any) -> tuple[torch.Tensor | None, ...]:
        return tuple(g if g is None else _labelled(g, device) for g in grads)

    node.register_hook(back)


def _labelled(grad: torch.Tensor, device: torch.device | None) -> torch.Tensor:
    from .key import KEYSET, Exclude
    from .record import find

    with Exclude(KEYSET):
        old = find(grad)
        copy = grad.clone()
        attach(copy, Record(device, old.dtype_origin if old else None, None))
        return copy
