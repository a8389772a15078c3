"""Continue a run after a verdict or an error: report it, and fix the operands or use a placeholder."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from ...torch_facts.contracts.signature import argument
from ..key import KEYSET, Exclude
from ..provenance.record import (
    Record,
    attach,
    device_of,
    find,
    is_meta,
    is_tensor,
    view_of,
)
from ..virtualize import is_small
from .caught_errors import prepared
from .eager_confirmation import accepts
from .op_errors import ERRORS, about_dtypes, mixed_floats, violation_of
from .verdict import mixes_floats

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...core.event import Violation
    from ..call import Call
    from ..values.propagation import Values
    from .recorder import Recorder
    from .verdict import Verdict

_MANY = 8  # operands, above which only those concerned are told about


class Recovery:
    """Goes on with calls that torch would refuse."""

    def __init__(
        self,
        recorder: Recorder,
        values: Values,
        run: Callable[[Call, Verdict | None], Any],
    ) -> None:
        """Start with `run`, which computes the result of a call."""
        self._recorder = recorder
        self._values = values
        self._run = run

    def follow(self, call: Call, verdict: Verdict) -> Verdict:
        """Report what a call breaks, and fix it. Return the verdict, updated for the fixed call."""
        if verdict.unchecked:
            self._recorder.unchecked(call.plan.name)
        if not verdict.broken:
            return verdict
        self._tell(call, verdict.violations)
        for violation in verdict.broken:
            self.mend(call, violation)
        return replace(verdict, promotes=mixes_floats(call))

    def _tell(self, call: Call, violations: tuple[Violation, ...]) -> None:
        """Record what a call breaks; a foreach op breaks its contract once, not once for each parameter."""
        named = call.named()
        told: set[tuple[str, str]] = set()
        for violation in filter(partial(_is_seen, named), violations):
            about = (
                violation.kind,
                argument(violation.odd[0]) if violation.odd else "",
            )
            if about not in told:
                told.add(about)
                concerned = {*violation.odd, violation.like}
                operands = named
                if len(named) > _MANY:
                    operands = [one for one in named if one[0] in concerned]
                self._recorder.call(call.plan.short, violation, operands)

    def mend(self, call: Call, violation: Violation) -> None:
        """Cast or move the operands that do not fit (what the op writes stays; the others follow it then)."""
        if violation.kind not in _ASPECTS:
            return
        named = {name: (t, r) for name, t, r in call.named()}
        names, wanted = _misfits(call, violation, named)
        _, like = named.get(violation.like or "", (None, None))
        fit = self.moved if violation.kind == "device" else self.cast
        if names and wanted is not None:
            call.replace({name: fit(*named[name], wanted, like) for name in names})

    def cast(
        self,
        tensor: torch.Tensor,
        record: Record,
        dtype: torch.dtype,
        like: Record | None,
    ) -> torch.Tensor:
        """Return a cast that the program should have made; differentiable."""
        out: torch.Tensor = torch.ops.aten._to_copy.default(tensor, dtype=dtype)
        attach(
            out,
            Record(
                record.device, like.dtype_origin if like else None, record.device_origin
            ),
        )
        self._keep_value(out, tensor, record)
        return out

    def moved(
        self,
        tensor: torch.Tensor,
        record: Record,
        device: torch.device | None,
        like: Record | None,
    ) -> torch.Tensor:
        """Return a move that the program should have made; differentiable."""
        out: torch.Tensor = torch.ops.aten._to_copy.default(tensor)
        attach(
            out,
            Record(device, record.dtype_origin, like.device_origin if like else None),
        )
        relabel_gradient(out, record.device)
        self._keep_value(out, tensor, record)
        return out

    def _keep_value(
        self, out: torch.Tensor, tensor: torch.Tensor, record: Record
    ) -> None:
        if record.twin is not None and is_small(tensor):
            value = view_of(record.twin, tensor).detach().to(out.dtype, copy=True)
            self._values.keep(out, value, assumed=record.assumed)

    def rescue(self, call: Call, verdict: Verdict | None, error: Exception) -> Any:
        """Return the result of a call that a meta kernel refused, or the program's own error."""
        self._recorder.met(error)
        if not (call.plan.writes or isinstance(error, NotImplementedError)) and accepts(
            call
        ):
            try:
                return self._values.stand_in(call)
            except ERRORS as refusal:
                self._recorder.met(refusal)
        return self._made_up_for(call, verdict, error)

    def _made_up_for(
        self, call: Call, verdict: Verdict | None, error: Exception
    ) -> Any:
        """Return a mismatch, foreseen by a contract or not; no meta kernel; or the program's own error."""
        if verdict is not None and verdict.missing_kernel:
            return self._in_another_dtype(call, verdict)
        unforeseen = mixed_floats(call, error)
        if unforeseen is not None:
            self._recorder.call(call.plan.short, unforeseen, call.named())
            self.mend(call, unforeseen)
            return call.plan.op(*call.args, **call.kwargs)
        # told of: the target stays as it is
        if verdict is not None and verdict.unwritable:
            return next(t for name, t, _ in call.named() if name in call.plan.writes)
        if isinstance(error, NotImplementedError) or not all(
            map(is_meta, call.tensors)
        ):
            return self._unchecked(call)
        raise error

    def _in_another_dtype(self, call: Call, verdict: Verdict) -> Any:
        others = tuple(one for one in verdict.violations if one.kind != "unsupported")
        back = _converted(call, getattr(torch, verdict.missing_kernel))
        return back(self._run(call, replace(verdict, violations=others)))

    def _unchecked(self, call: Call) -> Any:
        if call.device is None or call.plan.contract(call.device.type) is None:
            self._recorder.unchecked(call.plan.name)
        return self._values.stand_in(call)

    def unforeseen(
        self, call: Call, error: Exception, *, told: bool
    ) -> Callable[[Any], Any]:
        """Report a call that raised (unless `told`), and make its operands fit. Return the result's final conversion.

        Raises `error` itself if it is not about dtypes, or if the program is prepared for it.
        """
        self._recorder.met(error)
        if (
            not call.tensors
            or not about_dtypes(error)
            or prepared(sys._getframe(1), error)
        ):
            raise error
        violation = violation_of(call, error)
        if not told:
            self._recorder.call(call.plan.short, violation, call.named())
        expected = getattr(torch, violation.expected)
        given = next(t.dtype for name, t, _ in call.named() if name in violation.odd)
        if (
            violation.like is None
            and given.is_floating_point
            and expected.is_floating_point
        ):
            return _converted(call, expected)
        self.mend(call, replace(violation, kind="dtype"))
        return lambda out: out


_ASPECTS: dict[str, Callable[[torch.Tensor, Record], Any]] = {
    "device": lambda _, record: record.device,
    "dtype": lambda tensor, _: tensor.dtype,
    "kind": lambda tensor, _: tensor.dtype,
}
"""The fixed property of an operand, by violation."""


def _is_seen(
    named: list[tuple[str, torch.Tensor, Record]], violation: Violation
) -> bool:
    """Check that no operand is one which an op, repaired before, has saved for a formula of autograd."""
    inner = {name for name, _, record in named if record.device is None}
    return violation.kind != "unsupported" or inner.isdisjoint(violation.odd)


def _misfits(
    call: Call, violation: Violation, named: dict[str, tuple[torch.Tensor, Record]]
) -> tuple[list[str], Any]:
    """Return the operands to be fixed, and the device or dtype that they should have."""
    aspect = _ASPECTS[violation.kind]
    odd = [name for name in violation.odd if name in named]
    written = [name for name in odd if argument(name) in call.plan.writes]
    if not written:
        expected = violation.expected
        return odd, device_of(expected) if violation.kind == "device" else getattr(
            torch, expected, None
        )
    wanted = aspect(*named[written[0]])
    return [
        name
        for name, one in named.items()
        if name not in written and aspect(*one) is not wanted
    ], wanted


def relabel_gradient(out: torch.Tensor, device: torch.device | None) -> None:
    """Let the gradient of a move arrive on the device that the moved tensor came from."""
    node = out.grad_fn
    if node is None:
        return

    def back(
        grads: tuple[torch.Tensor | None, ...], _: Any
    ) -> tuple[torch.Tensor | None, ...]:
        return tuple(g if g is None else _labelled(g, device) for g in grads)

    node.register_hook(back)


def _labelled(grad: torch.Tensor, device: torch.device | None) -> torch.Tensor:
    with Exclude(KEYSET):
        old = find(grad)
        copy = grad.clone()
        attach(copy, Record(device, old.dtype_origin if old else None, None))
        return copy


def _converted(call: Call, dtype: torch.dtype) -> Callable[[Any], Any]:
    """Cast the operands for which there is no kernel, as the program should; return what casts the results back."""
    named = call.named()
    given = next((t.dtype for _, t, _ in named if t.dtype is not dtype), dtype)
    writes = {n: t for n, t, _ in named if argument(n) in call.plan.writes}
    call.replace({n: t.to(dtype) for n, t, _ in named if t.dtype is given})

    def back(out: Any) -> Any:
        if writes:  # the memory stays as it is: without data there is nothing to write
            if is_tensor(out):
                return next(iter(writes.values()))
            return tuple(writes.values())
        return _back(out, dtype, given)

    return back


def _back(out: Any, dtype: torch.dtype, given: torch.dtype) -> Any:
    if is_tensor(out):
        return out.to(given) if out.dtype is dtype and given.is_floating_point else out
    if not isinstance(out, (tuple, list)):
        return out
    parts = [_back(one, dtype, given) for one in out]
    return type(out)(*parts) if hasattr(out, "_fields") else type(out)(parts)
