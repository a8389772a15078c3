"""One call made three ways: by real torch, under `miscast.check`, and with torch's own FakeTensorMode."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import cache
from typing import Any, TypeAlias
from unittest import mock

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._pytree import tree_flatten, tree_unflatten

import miscast
from miscast.vm.judging import eager_confirmation, verdict

from .calls import DEVICE, MACHINE, Call, Prepared
from .outcome import Checked, Outcome, Told

Program: TypeAlias = Callable[[Sequence[Any]], tuple[list[Any], list[Any]]]


def program(prepared: Prepared, flat: Sequence[Any], autocast: str | None) -> tuple[list[Any], list[Any]]:
    """What a user writes: the call, a loss of all that can be trained, and backward. Results and gradients."""
    moved = [t.to(DEVICE) if isinstance(t, torch.Tensor) else t for t in flat]
    args, kwargs = tree_unflatten(moved, prepared.spec)
    with torch.autocast(DEVICE, dtype=getattr(torch, autocast)) if autocast else nullcontext():
        results = _tensors(tree_flatten(prepared.function(*args, **kwargs))[0])
    if prepared.backward:
        losses = [t.float().sum() for t in results if t.is_floating_point() and t.requires_grad]
        if losses:
            torch.autograd.backward(sum(losses[1:], losses[0]))
    return results, [t.grad for t in _tensors(flat)]


def real(prepared: Prepared, call: Call) -> Outcome:
    """The truth: what eager torch does. A GPU that has met an assertion in a kernel answers nothing more."""

    def run(flat: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        made = program(prepared, flat, call.autocast)
        if DEVICE == "cuda":
            torch.cuda.synchronize()  # an assertion shows now, and not at a later call
        return made

    outcome = _outcome(run, _fresh(prepared))
    if outcome.error and "CUDA error" in outcome.error:
        os._exit(1)
    return outcome


def faked(prepared: Prepared, call: Call) -> Outcome:
    """What FakeTensorMode says of the same call."""
    flat = _fresh(prepared)
    with FakeTensorMode() as mode:
        fake = [mode.from_tensor(t) if isinstance(t, torch.Tensor) else t for t in flat]
        return _outcome(lambda flat: program(prepared, flat, call.autocast), fake)


def checked(prepared: Prepared, call: Call) -> Checked:
    """What `miscast.check` says of it."""
    flat = _fresh(prepared)
    start = time.perf_counter()
    try:
        report = miscast.check(program, prepared, flat, call.autocast, machine=MACHINE)
    except Exception as error:  # noqa: BLE001 - the crash is the result
        return Checked(crash=_line(error), seconds=time.perf_counter() - start)
    seconds = time.perf_counter() - start
    results, gradients = report.result or ((), ())
    told = [f for f in report.findings if f.severity == "error"]
    return Checked(
        told=tuple(
            Told(
                op=f.op,
                message=f.message,
                arguments=_arguments(f.op),
                error=f.error,
            )
            for f in told
        ),
        results=tuple(t.dtype for t in results),
        gradients=tuple("none" if g is None else g.dtype for g in gradients),
        ended=report.ended,
        seconds=seconds,
    )


def alone(prepared: Prepared, call: Call) -> Checked:
    """What `miscast.check` says by its tables and contracts, if it may not ask torch about small calls on the CPU."""
    with mock.patch.object(eager_confirmation, "can_tell", _never), mock.patch.object(verdict, "can_tell", _never):
        return checked(prepared, call)  # the function is imported by name


def _never(_: object) -> bool:
    return False


def _outcome(run: Program, flat: Sequence[Any]) -> Outcome:
    try:
        results, gradients = run(flat)
    except Exception as error:  # noqa: BLE001 - the error is the result
        return Outcome(error=_line(error))
    return Outcome(
        results=tuple(str(t.dtype)[6:] for t in results),
        gradients=tuple("none" if g is None else str(g.dtype)[6:] for g in gradients),
    )


def _fresh(prepared: Prepared) -> list[Any]:
    """Leaves of the program's own, which want gradients where the op and the sample's operand can have one."""
    wanted = iter(prepared.trained)
    return [
        t.detach().clone().requires_grad_(next(wanted)) if isinstance(t, torch.Tensor) else t for t in prepared.flat
    ]


def _tensors(flat: Sequence[Any]) -> list[torch.Tensor]:
    return [t for t in flat if isinstance(t, torch.Tensor)]


def _line(error: Exception) -> str:
    first = next(iter(str(error).strip().splitlines()), "")
    return f"{type(error).__name__}: {first}"[:400]


@cache
def _arguments(op: str) -> tuple[str, ...]:
    """The names of an op's tensor arguments, over all its overloads."""
    packet = getattr(torch.ops.aten, op, None)
    schemas = [getattr(packet, overload)._schema for overload in packet.overloads()] if packet is not None else []
    return tuple(dict.fromkeys(a.name for schema in schemas for a in schema.arguments if "Tensor" in str(a.type)))
