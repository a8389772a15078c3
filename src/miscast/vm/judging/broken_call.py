"""A call that broke a contract, as it is told: what the frames and the operands say of it at that moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import torch

from ...core.event import Call, Location, Operand, Phase, TensorMeta, Violation
from ...running.torch_abi import graph_task
from ..provenance import module_paths
from ..provenance.assignments import held, switched_off
from ..provenance.origin import locate, places, program_frames
from ..provenance.record import Record, shape_of
from ..provenance.unregistered_modules import listed

if TYPE_CHECKING:
    from types import FrameType

Operands = Sequence[tuple[str, torch.Tensor, Record]]
"""Names, tensors and records."""

NOWHERE = Location(file="<unknown>", line=0)
_CALLERS = 12
_OPTIMIZERS = torch.optim.Optimizer.__module__.rpartition(".")[0]


def broken_call(
    frame: FrameType,
    op: str,
    violation: Violation,
    operands: Operands,
    accelerator: str,
) -> Call:
    """Return the call of `op` below `frame`, on a machine with this kind of devices."""
    user, library = places(frame)
    path, root, apart = module_paths.reached(frame)
    here = locate(user, path) or NOWHERE
    return Call(
        op=op,
        phase=phase(frame),
        location=here,
        library=locate(library),
        operands=tuple(operand_of(*one, violation.expected, here) for one in operands),
        violation=violation,
        callers=_callers(frame),
        held=(
            *listed(frame, operands),
            *held(frame, operands, devices=violation.kind == "device"),
        ),
        off=switched_off(frame, accelerator) if violation.kind == "dtype" else (),
        root=root,
        apart=apart,
    )


def phase(frame: FrameType | None) -> Phase:
    """Return what the program is doing, by the call stack."""
    if graph_task() != -1:
        return "backward"
    found: Phase = "program"
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith(_OPTIMIZERS):
            return "optimizer"
        if frame.f_code is module_paths.CALL:
            found = "forward"
        frame = frame.f_back
    return found


def _callers(frame: FrameType) -> tuple[Location, ...]:
    """Return the user's lines that led to the innermost one, innermost first."""
    frames = program_frames(frame)[1 : _CALLERS + 1]
    return tuple(
        found for f in frames if (found := locate((f.f_code, f.f_lasti))) is not None
    )


def operand_of(
    name: str, tensor: torch.Tensor, record: Record, wanted: str, at: Location
) -> Operand:
    """Return an operand of a call at a line as plain data; `wanted` is the dtype that it should have."""
    meta = TensorMeta(
        dtype=str(tensor.dtype)[6:],
        device=str(record.device or "meta"),
        shape=shape_of(tensor),
    )
    origin = record.dtype_origin.freeze(wanted) if record.dtype_origin else None
    if origin is not None and _is_cast_by_autocast(tensor, record):
        origin = replace(
            origin, kind="autocast", op="", dtype=meta.dtype, location=at, source=origin
        )
    return Operand(
        name=name,
        tensor=meta,
        dtype_origin=origin,
        device_origin=record.device_origin.place() if record.device_origin else None,
    )


def _is_cast_by_autocast(tensor: torch.Tensor, record: Record) -> bool:
    """Check whether autocast cast an operand for this very call: its origin is that of what was cast."""
    here, made = record.device, record.dtype_origin
    autocast = here is not None and torch.is_autocast_enabled(here.type)
    return autocast and made is not None and made.dtype is not tensor.dtype
