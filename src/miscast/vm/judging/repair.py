"""Judge a call by its contract; where it broke one, record it, give the op what it expects, and go on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ...contracts import Table, arguments, implemented, judge, judge_declared, judge_measured, signature, table_for
from ...event import Violation
from ...provenance.record import Record, attach, device_of, is_meta, view_of
from ..schema import TORCH_VERSION
from ..torch_api.queries import is_virtual
from ..virtualize import is_small
from .attention_kernels import without_kernel
from .eager_confirmation import can_tell, confirmed, is_empty
from .missing_kernels import in_another_dtype
from .shape_exemptions import not_excused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...contracts import Contract, Input, Row
    from ..call import Call
    from ..dispatch import Dispatcher
    from ..schema import Plan

# Ops whose verdict also depends on the operands' dimensions, or on switches, and so is not remembered by dtypes alone.
_BY_SHAPE = frozenset(
    {"cross_entropy_loss", "inner", "index_put", "index_put_", "nll_loss_backward", "scaled_dot_product_attention"}
)
PLAIN, PROMOTES, UNCHECKED = 0, 1, 2
_CPU = "cpu"
_MANY = 8  # operands, above which only those concerned are told about


class Repair:
    """Contract, verdict, mending."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        """Records go to the dispatcher's recorder."""
        self.dispatcher = dispatcher
        self.recorder = dispatcher.recorder
        self._machine = dispatcher.vm.machine
        self._tables: dict[str, Table | None] = {}
        self._concerns: dict[tuple[str, str], bool] = {}

    def table(self, device: str) -> Table | None:
        """What was measured on a kind of device, with the nearest torch; None: contracts are as declared."""
        try:
            return self._tables[device]
        except KeyError:
            arch = self._machine.arch if device == self._machine.device else ""
            found = self._tables[device] = table_for(device, TORCH_VERSION, arch)
            return found

    def concerns(self, plan: Plan, device: str) -> bool:
        """Whether a call with a single tensor can break the op's contract, declared or measured."""
        try:
            return self._concerns[plan.name, device]
        except KeyError:
            c = plan.contract(device)
            declared = c is not None and bool(c.only or c.kernels or c.into or c.on_cpu)
            told = declared or self.may_refuse(plan, device) or self._untold(plan, device)
            self._concerns[plan.name, device] = told
            return told

    def _untold(self, plan: Plan, device: str) -> bool:
        """Whether the table of a kind of device leaves an op out."""
        table = self.table(device)
        return table is not None and plan.name not in table.ops

    def may_refuse(self, plan: Plan, device: str) -> bool:
        """Whether torch is known to refuse some calls of the op for their dtypes alone."""
        table = self.table(device)
        return implemented(plan.name, device) is not None if table is None else table.refuses_some(plan.name)

    def check(self, call: Call) -> bool:
        """Judge and mend. Whether floating dtypes are mixed in a way that promotes."""
        plan = call.plan
        key = (call.device, call.dtypes, *_kinds(call)) if plan.numbers or plan.dtyped else (call.device, call.dtypes)
        verdict = plan.uniform.get(key) if not call.mixed else None
        if verdict is None:
            verdict = self._judge(call, key)
        if verdict == UNCHECKED:
            self.recorder.unchecked(plan.name)
        return verdict != PLAIN

    def refuses(self, call: Call, autocast: str) -> bool:
        """Whether the call breaks a contract, declared or measured; `autocast`: its dtype, if it is on."""
        return bool(self._violations(call, autocast))

    def _violations(self, call: Call, autocast: str = "") -> tuple[Violation, ...]:
        kind = call.device.type if call.device else _CPU
        contract, table, plan, inputs = call.plan.contract(kind), self.table(kind), call.plan, call.inputs()
        row = self._row(plan, contract, inputs, kind, autocast)
        known = row is not None and row.knows(signature(inputs))
        untold = self._untold(plan, kind)
        if plan.dtyped and any(a is not None for name, a in call.given() if name in plan.dtyped):
            found, known = judge(contract, inputs), False  # measured were calls that leave the dtype to the operands
        elif table is None or untold:
            found = judge_declared(contract, plan.name, kind, inputs)
        else:
            found = judge_measured(contract, row, inputs)
        doubtful = bool(found) or (not known and (untold or self.may_refuse(plan, kind)))
        call.asked = can_tell(call) and (doubtful or is_empty(call))
        if not call.asked:
            left = not_excused(call, found, self._machine) if found and kind != _CPU else found
            call.asked = left != found  # the next may not be excused
            return left or (() if call.asked else without_kernel(call))
        answer = confirmed(call, found, inside=bool(autocast))
        call.asked = bool(answer or found or not untold or is_empty(call))  # else one answer does for all such calls
        return answer

    def _row(
        self, plan: Plan, contract: Contract | None, inputs: Sequence[Input], kind: str, autocast: str
    ) -> Row | None:
        """What was measured of such calls, on a chip that speaks for the machine's."""
        table = self.table(kind)
        by_chip = contract is not None and contract.by_chip and kind == self._machine.device
        if table is None or (by_chip and not table.speaks_for(self._machine.arch)):
            return None
        return table.row(plan.name, arguments(inputs), autocast)

    def refused_inside(self, call: Call) -> bool:
        """Whether it is an op within this composite one that refuses such calls: then it was judged as it was met."""
        table = self.table(call.device.type if call.device else _CPU)
        errors = [violation.error for violation in self._violations(call)]
        if table is None or call.asked:  # torch itself refuses this very call
            return False
        return any(table.raised_by_others(call.plan.name, error) for error in errors)

    def _judge(self, call: Call, key: Any) -> int:
        plan = call.plan
        violations = self._violations(call)
        follows = self._follows_device(call, violations)
        self._tell(call, tuple(violation for violation in violations if violation not in follows))
        for violation in follows:
            self.mend(call, violation)
        floating = {t.dtype for t in call.tensors if t.dtype.is_floating_point and t.dim()}
        verdict = PROMOTES if len(floating) > 1 else PLAIN
        if self._unknown(call) and len(set(call.dtypes)) > 1 and not violations:
            verdict = UNCHECKED
        settled = not (violations or call.asked or call.mixed or plan.short in _BY_SHAPE)
        if settled and (len(call.tensors) == 1 or all(t.dim() for t in call.tensors)):
            plan.uniform[key] = verdict
        return verdict

    def _follows_device(self, call: Call, violations: tuple[Violation, ...]) -> tuple[Violation, ...]:
        """The mixes of floating dtypes that are there because autocast passes by what is on another device."""
        kind = call.device.type if call.device else _CPU
        if not self.autocasts(call.plan, kind) or all(violation.kind != "device" for violation in violations):
            return ()
        dtypes = {name: tensor.dtype for name, tensor, _ in call.named()}
        floats = {name for name, dtype in dtypes.items() if dtype.is_floating_point}
        return tuple(v for v in violations if v.kind == "dtype" and v.like in floats and floats.issuperset(v.odd))

    def autocasts(self, plan: Plan, kind: str) -> bool:
        """Whether a region of autocast is open that casts the operands of an op."""
        return bool(self.dispatcher.autocast.dtype(kind)) and plan.policy(kind) is not None

    def _tell(self, call: Call, violations: tuple[Violation, ...]) -> None:
        """Record what a call broke, and mend it."""
        plan, named = call.plan, call.named()
        told: set[tuple[str, str]] = set()
        for violation in violations:
            about = (violation.kind, violation.odd[0].split("[")[0] if violation.odd else "")
            if about not in told:  # a foreach op breaks its contract once, not once for each parameter
                told.add(about)
                concerned = {*violation.odd, violation.like} if len(named) > _MANY else None
                self.recorder.call(plan.short, violation, [o for o in named if not concerned or o[0] in concerned])
            call.unfit = call.unfit or violation.kind == "kind"
            call.lacks = violation.expected if violation.kind == "unsupported" else call.lacks
            self.mend(call, violation)

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
        attach(out, Record(record.device, like.dtype_origin if like else None, record.device_origin))
        if record.twin is not None and is_small(tensor):
            value = view_of(record.twin, tensor).detach().to(dtype, copy=True)
            self.dispatcher.values.keep(out, value, assumed=record.assumed)
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
        if call.lacks:
            dtype, call.lacks = getattr(torch, call.lacks), ""
            return in_another_dtype(call, dtype, self.dispatcher.made)
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
    """What else than its operands' dtypes tells one call of the op from another: the kinds of its numbers, `dtype=`."""
    told = call.plan.numbers | call.plan.dtyped
    return [a.__class__ for name, a in call.given() if name in told]


def relabel_gradient(out: torch.Tensor, device: torch.device | None) -> None:
    """Let the gradient of a move arrive on the device that the moved tensor came from."""
    node = out.grad_fn
    if node is None:
        return

    def back(grads: tuple[torch.Tensor | None, ...], _: Any) -> tuple[torch.Tensor | None, ...]:
        return tuple(g if g is None else _labelled(g, device) for g in grads)

    node.register_hook(back)


def _labelled(grad: torch.Tensor, device: torch.device | None) -> torch.Tensor:
    from ...provenance.record import find
    from ..key import KEYSET, Exclude

    with Exclude(KEYSET):
        old = find(grad)
        copy = grad.clone()
        attach(copy, Record(device, old.dtype_origin if old else None, None))
        return copy
