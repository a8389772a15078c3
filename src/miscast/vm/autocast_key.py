"""Autocast as torch applies it, above autograd: its casts are differentiable and its weight cache is torch's."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch

from ..core.event import Violation
from ..running.torch_abi import graph_task
from ..torch_facts.autocast import (
    APPENDS_DTYPE,
    RefusedError,
    casts,
    device_types,
    eligible,
    output_dtype,
)
from ..torch_facts.contracts import Input, judge
from ..torch_facts.contracts.signature import argument
from .call import Call
from .provenance.record import Record, attach, bares, widest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .judging.recorder import Recorder
    from .memory import Memory
    from .schema import Plan


_STALE = Violation(
    kind="lossy",
    odd=(),
    expected="",
    argument="autocast-keeps-old-weights",
    value="autocast's cached copy is older than the last update of this tensor",
)


class Autocast:
    """Applies the policy of an op to its operands while `torch.autocast` is on for their device."""

    def __init__(
        self,
        recorder: Recorder,
        memory: Memory,
        device: str,
        plan: Callable[[Any], Plan],
    ) -> None:
        """Start without cached weights for `device`, the machine's kind; `plan` looks up an op's plan."""
        self._recorder = recorder
        self._memory = memory
        self._kind = device
        self._plan = plan
        self._weights: dict[int, tuple[torch.Tensor, torch.Tensor, int]] = {}

    def on(self) -> bool:
        """Check whether a region is open for any device of this machine (torch's own such query forgets mps)."""
        return torch.is_autocast_enabled(self._kind) or torch.is_autocast_enabled("cpu")

    def dtype(self, device: str) -> str:
        """Return what a region casts to on a kind of device; "" where none is open."""
        # "meta" has no autocast
        if device not in ("cpu", self._kind) or not torch.is_autocast_enabled(device):
            return ""
        return str(torch.get_autocast_dtype(device))[6:]

    def clear(self) -> None:
        """Leave the outermost region: forget the cast weights."""
        self._weights.clear()

    def apply(self, call: Call) -> torch.dtype | None:
        """Cast the operands as the op's policy says.

        The result's dtype without autocast if a policy acted, else None.
        """
        kind = call.kind
        # torch raises for "meta"
        if kind not in device_types() or not torch.is_autocast_enabled(kind):
            return None
        policy = call.plan.policy(kind)
        if policy is None or not _reached(call):
            return None
        compute = torch.get_autocast_dtype(kind)
        plain = bares(call.tensors, call.records)
        # gradients follow what forward did
        if len(set(plain)) > 1 and graph_task() == -1:
            self._hidden(call, kind, plain)
        first = (str(call.tensors[0].dtype)[6:], _type(call.records[0]) == kind)
        if policy == "float32_append_dtype":
            self._append_dtype(call, output_dtype(policy, first, given=None))
        elif policy == "float32_set_opt_dtype":
            _set_dtype(call, policy, first)
        else:
            self._cast(call, kind, policy, compute)
        return widest(plain)

    def casts_back(self, call: Call) -> bool:
        """Return whether a call that a policy acted on gives the dtype of its first operand."""
        return call.plan.policy(call.kind) == "float32_and_back"

    def _cast(self, call: Call, kind: str, policy: Any, compute: torch.dtype) -> None:
        named, optional = call.named(), call.plan.optional
        votes = [
            (str(t.dtype)[6:], _type(r) == kind)
            for n, t, r in named
            if argument(n) not in optional
        ]
        try:
            target = casts(policy, votes, str(compute)[6:])
        except RefusedError as refused:
            target = self._refused(call, refused)
        if target is None:
            return
        dtype, lists = getattr(torch, target), call.plan.optional_lists
        changed = {
            n: self._as(t, r, dtype, compute)
            for n, t, r in named
            if t.dtype is not dtype
            and argument(n) not in lists
            and _eligible(t, r, kind)
        }
        if changed:
            self._note_old(call, named, changed)
            call.replace(changed)

    def _note_old(self, call: Call, named: list[Any], cast: Mapping[str, Any]) -> None:
        """Record the weights that changed since they were cast in this region: torch takes the copy all the same."""
        old = [one for one in named if one[0] in cast and self._is_old(one[1])]
        if old:
            stale = replace(_STALE, odd=tuple(name for name, *_ in old))
            self._recorder.call(call.plan.short, stale, old)

    def _is_old(self, weight: torch.Tensor) -> bool:
        """Check whether a weight was changed since it was cast in this region."""
        kept = self._weights.get(id(weight))
        return kept is not None and kept[2] != weight._version

    def _refused(self, call: Call, refused: RefusedError) -> str:
        named = call.named()
        odd = () if refused.odd is None else (named[refused.odd][0],)
        violation = Violation(
            kind="forbidden" if refused.odd is None else "dtype",
            odd=odd,
            expected=refused.instead,
            error=str(refused),
        )
        self._recorder.call(call.plan.short, violation, named)
        return refused.instead

    def _as(
        self,
        tensor: torch.Tensor,
        record: Record,
        dtype: torch.dtype,
        compute: torch.dtype,
    ) -> torch.Tensor:
        """Return one operand in another dtype; weights are cast once per region, as torch does."""
        cached = (
            dtype is compute
            and tensor.dtype is torch.float32
            and tensor.requires_grad
            and tensor.is_leaf
            and not tensor._is_view()
            and torch.is_autocast_cache_enabled()
        )
        if not cached:
            return self._copied(tensor, record, dtype)
        if id(tensor) not in self._weights:
            with torch.enable_grad():  # it is kept for calls that want its gradient
                out = self._copied(tensor, record, dtype)
            self._weights[id(tensor)] = (tensor, out, tensor._version)
        return self._weights[id(tensor)][1]

    def _copied(
        self, tensor: torch.Tensor, record: Record, dtype: torch.dtype
    ) -> torch.Tensor:
        cast = torch.ops.aten._to_copy.default
        out: torch.Tensor = cast(tensor, dtype=dtype)
        attach(out, Record(record.device, record.dtype_origin, record.device_origin))
        self._memory.hold(out)
        self._memory.metered(self._plan(cast), (tensor,), {}, out)
        return out

    def _hidden(self, call: Call, kind: str, plain: list[torch.dtype]) -> None:
        """Record a dtype mismatch that only autocast keeps from failing."""
        contract = call.plan.contract(kind)
        if contract is None:
            return
        named = call.named()
        inputs = [
            Input(name=n, dtype=str(b)[6:], device=str(r.device or "meta"), dim=t.dim())
            for (n, t, r), b in zip(named, plain, strict=True)
        ]
        for violation in judge(contract, inputs):
            if violation.kind == "dtype":
                self._recorder.call(call.plan.short, violation, named, hidden=True)

    def _append_dtype(self, call: Call, dtype: str | None) -> None:
        name = APPENDS_DTYPE[call.plan.name].rpartition(".")[2]
        other = self._plan(getattr(torch.ops.aten.norm, name))
        schema = call.plan.op._schema.arguments
        call.args = (
            *call.args,
            *(a.default_value for a in schema[len(call.args) :] if not a.kwarg_only),
        )
        call.kwargs = {**call.kwargs, "dtype": getattr(torch, str(dtype))}
        call.plan = other


def _reached(call: Call) -> bool:
    """Check whether the kernel comes to where autocast acts (ATen/native: LinearAlgebra, TensorCompare, Unique, …)."""
    name, first = call.plan.short, call.tensors[0]
    if name in ("roll", "unique_dim", "unique_dim_consecutive"):
        return first.numel() > 0
    if name == "unique_consecutive":  # without `dim`, or with the only one, it copies
        dim = call.kwargs.get("dim", call.args[3] if len(call.args) > 3 else None)
        return first.numel() > 0 and dim is not None and (dim, first.dim()) != (0, 1)
    if name == "linalg_matrix_exp":
        return first.numel() > 0 and first.size(-1) > 1
    if name == "isin":  # looks through sorted elements where that is faster
        return (
            len(call.tensors) > 1
            and call.tensors[1].numel() >= 10 * first.numel() ** 0.145
        )
    return True


def _eligible(tensor: torch.Tensor, record: Record, kind: str) -> bool:
    """Check whether an operand is cast.

    What was left on the CPU is refused for its device. Were it in its place, it would be cast: so it is here, or each
    call behind it would mix dtypes.
    """
    device = _type(record)
    return eligible(
        str(tensor.dtype)[6:],
        on_device=device == kind or (tensor.dim() > 0 and device == "cpu"),
    )


def _type(record: Record) -> str:
    return record.device.type if record.device is not None else ""


def _set_dtype(call: Call, policy: Any, first: tuple[str, bool]) -> None:
    given = dict(call.given()).get("dtype")
    dtype = output_dtype(policy, first, given=given and str(given)[6:])
    if dtype is not None:
        call.put("dtype", getattr(torch, dtype))
