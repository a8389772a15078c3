"""The verdict on a call: what torch would refuse of it, by contract, by measurement, or asked itself.

    verdict = judge(call)                  # None: torch takes the call, and there is nothing to say of it
    verdict.violations                     # what it breaks, in the order in which it is told of

To judge changes nothing of the call and tells nobody; `recovery.py` acts on the verdict.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...torch_facts.contracts import (
    arguments,
    implemented,
    judge,
    judge_declared,
    judge_measured,
    signature,
    table_for,
)
from ..fused_kernels import is_sparse_product, without_kernel
from ..schema import TORCH_VERSION
from .eager_confirmation import can_tell, confirmed, is_empty, is_unusual
from .shape_exemptions import not_excused, told_by_size

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...core.event import Violation
    from ...core.machines import Machine
    from ...torch_facts.contracts import Table
    from ..call import Call
    from ..schema import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The verdict on one call.

    `violations` are told of and mended; `consequences` are mended only, for they are there because another violation
    is. `promotes` says that floating dtypes are mixed as torch allows it, `unchecked` that nothing is known of the op.
    If torch itself was `asked`, another call on the same dtypes may get another answer.
    """

    violations: tuple[Violation, ...] = ()
    consequences: tuple[Violation, ...] = ()
    promotes: bool = False
    unchecked: bool = False
    asked: bool = False

    @property
    def broken(self) -> tuple[Violation, ...]:
        """All violations to be fixed."""
        return (*self.violations, *self.consequences)

    @property
    def missing_kernel(self) -> str:
        """The dtype to compute in instead if there is no kernel for that of the operands; else ""."""
        return next(
            (
                one.expected
                for one in reversed(self.violations)
                if one.kind == "unsupported"
            ),
            "",
        )

    @property
    def unwritable(self) -> bool:
        """True if the result cannot be written where the program wants it."""
        return any(one.kind == "kind" for one in self.violations)


_UNJUDGED = Verdict()


class Judge:
    """The judge of one machine's calls."""

    def __init__(self, machine: Machine, autocast: Callable[[str], str]) -> None:
        """Start with `autocast`, which returns the dtype that a device kind currently casts to ("" for none)."""
        self._machine = machine
        self._autocast = autocast
        self._tables: dict[str, Table | None] = {}
        self._concerns: dict[tuple[str, str], bool] = {}
        # by op, device, dtypes, and the kinds of numbers
        self._known: dict[tuple[Any, ...], Verdict | None] = {}

    def __call__(self, call: Call) -> Verdict | None:
        """Return the verdict on a call, remembered where the dtypes decide it."""
        if call.mixed or is_sparse_product(call):
            return self.afresh(call)
        plan = call.plan
        kinds = _kinds(call) if plan.numbers or plan.dtyped else ()
        key = (plan, call.device, call.dtypes, kinds)
        verdict = self._known.get(key, _UNJUDGED)
        if verdict is _UNJUDGED:
            verdict = self.afresh(call)
            if _by_dtypes_alone(call, verdict):
                self._known[key] = verdict
        return verdict

    def afresh(self, call: Call, autocast: str = "") -> Verdict | None:
        """Return the verdict on this very call.

        `autocast`: the dtype of one that is still to act on the ops within the op.
        """
        broken, asked = self._broken(call, autocast)
        unchecked = not broken and len(set(call.dtypes)) > 1 and self._unknown(call)
        promotes = unchecked or (not broken and mixes_floats(call))
        if not (broken or asked or promotes):
            return None
        consequences = self._consequences(call, broken)
        violations = tuple(one for one in broken if one not in consequences)
        return Verdict(
            violations=violations,
            consequences=consequences,
            promotes=promotes,
            unchecked=unchecked,
            asked=asked,
        )

    def table(self, device: str) -> Table | None:
        """Return what was measured on a kind of device, with the nearest torch; None: contracts are as declared."""
        try:
            return self._tables[device]
        except KeyError:
            arch = self._machine.arch if device == self._machine.device else ""
            found = self._tables[device] = table_for(device, TORCH_VERSION, arch)
            return found

    def concerns(self, plan: Plan, device: str) -> bool:
        """Check whether a call with a single tensor can break the op's contract, declared or measured."""
        try:
            return self._concerns[plan.name, device]
        except KeyError:
            c = plan.contract(device)
            declared = c is not None and bool(c.only or c.kernels or c.into or c.on_cpu)
            found = self._concerns[plan.name, device] = declared or self._refusable(
                plan, device
            )
            return found

    def may_refuse(self, plan: Plan, device: str) -> bool:
        """Check whether torch is known to refuse some calls of the op for their dtypes alone."""
        table = self.table(device)
        if table is None:
            return implemented(plan.name, device) is not None
        return table.refuses_some(plan.name)

    def refused_inside(self, call: Call, verdict: Verdict | None) -> bool:
        """Check whether an op within this composite one refuses such calls, so that it was checked there."""
        table = self.table(call.kind)
        # torch itself refuses this very call
        if table is None or verdict is None or verdict.asked:
            return False
        return any(
            table.raised_by_others(call.plan.name, one.error) and not told_by_size(one)
            for one in verdict.broken
        )

    def _broken(self, call: Call, autocast: str) -> tuple[tuple[Violation, ...], bool]:
        """Return a call's violations, and whether they hold for this call only, not for all with such dtypes."""
        kind = call.kind
        found, known = self._by_dtypes(call, kind, autocast)
        untold = not known and self._refusable(call.plan, kind)
        doubtful = bool(found) or untold or is_unusual(call)
        if can_tell(call) and (doubtful or is_empty(call)):
            answer = confirmed(call, found, inside=bool(autocast))
            return answer, not self._answers_all(call, kind, (*answer, *found))
        left = not_excused(call, found, self._machine)
        if left != found:
            return left, True  # the next may not be excused
        return found or without_kernel(call), False

    def _answers_all(
        self, call: Call, kind: str, broken: tuple[Violation, ...]
    ) -> bool:
        """Check whether torch's answer holds for all calls on such dtypes.

        It takes one of an op that was not measured.
        """
        return self._untold(call.plan, kind) and not broken and not is_empty(call)

    def _by_dtypes(
        self, call: Call, kind: str, autocast: str
    ) -> tuple[tuple[Violation, ...], bool]:
        """Return what the operands' dtypes and devices break; and whether such a call was measured."""
        plan, inputs = call.plan, call.inputs()
        contract, table = plan.contract(kind), self.table(kind)
        # measured were calls that leave the dtype to the operands
        if _says_dtype(call):
            return judge(contract, inputs), False
        if table is None or plan.name not in table.ops:
            return judge_declared(contract, plan.name, kind, inputs), False
        row = None
        if (
            not (contract and contract.by_chip)
            or kind != self._machine.device
            or table.speaks_for(self._machine.arch)
        ):
            row = table.row(plan.name, arguments(inputs), autocast)
        written = signature(inputs)
        row = table.since(row, written, TORCH_VERSION)
        known = row is not None and row.knows(written)
        return judge_measured(contract, row, inputs), known

    def _consequences(
        self, call: Call, broken: tuple[Violation, ...]
    ) -> tuple[Violation, ...]:
        """Return the floating dtype mixes that exist because autocast skips operands on another device."""
        kind = call.kind
        moved = any(one.kind == "device" for one in broken)
        if not moved or not self._autocast(kind) or call.plan.policy(kind) is None:
            return ()
        floats = {
            name for name, tensor, _ in call.named() if tensor.dtype.is_floating_point
        }
        return tuple(
            one
            for one in broken
            if one.kind == "dtype" and floats.issuperset({*one.odd, one.like})
        )

    def _refusable(self, plan: Plan, device: str) -> bool:
        """Check whether some calls of the op may be refused, for all that is known of it."""
        return self._untold(plan, device) or self.may_refuse(plan, device)

    def _untold(self, plan: Plan, device: str) -> bool:
        """Check whether the table of a kind of device leaves an op out."""
        table = self.table(device)
        return table is not None and plan.name not in table.ops

    def _unknown(self, call: Call) -> bool:
        """Check whether neither a contract nor a table speaks of the op."""
        kind = call.kind
        return call.plan.contract(kind) is None and (
            self.table(kind) is None or self._untold(call.plan, kind)
        )


def mixes_floats(call: Call) -> bool:
    """Check whether the operands with dimensions have several floating dtypes, so that the op promotes."""
    return (
        len({t.dtype for t in call.tensors if t.dtype.is_floating_point and t.dim()})
        > 1
    )


def _says_dtype(call: Call) -> bool:
    """Check whether the program says which dtype the result is to have."""
    dtyped = call.plan.dtyped
    return bool(dtyped) and any(
        a is not None for name, a in call.given() if name in dtyped
    )


def _by_dtypes_alone(call: Call, verdict: Verdict | None) -> bool:
    """Check whether the verdict is that on all calls of the op on such dtypes."""
    contract = call.plan.contract(call.kind)
    if contract is not None and not contract.by_dtypes:
        return False
    if verdict is not None and (verdict.violations or verdict.asked):
        return False
    return len(call.tensors) == 1 or all(t.dim() for t in call.tensors)


def _kinds(call: Call) -> tuple[type, ...]:
    """Return the parts of a call that matter besides operand dtypes: the kinds of its numbers, `dtype=`."""
    told = call.plan.numbers | call.plan.dtyped
    return tuple([a.__class__ for name, a in call.given() if name in told])
