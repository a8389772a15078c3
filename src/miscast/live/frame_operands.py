"""The tensors behind the operands of a message: found in the traceback's frames by what the message says of them.

mat1  Float   ->  `sample`, float32 [2, 320], an activation, promoted by cat at train.py:9
mat2  Half    ->  `unet.time_embedding.linear_1.weight`, float16 [1280, 320], cast at train.py:4
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from ..core.event import Operand, Role, TensorMeta
from ..explanation.operands import role as role_of
from ..vm.provenance import parameter_paths
from ..vm.provenance.failed_expression import Found, operands
from ..vm.provenance.origin import USER, kind_of
from . import producers

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    Pairs = list[tuple[Found, Operand | None]]

_FRAMES = 12
_MOST = 6
_LONG = 40
_UNNAMED = frozenset({
    "found", "expected", "one tensor", "another", "the others", "input", "tensors", "self", "other",
})  # fmt: skip
"""A message's words for operands with unknown names."""
_STATED = ("mask", "target", "gradient", "optimizer state", "index")
"""Roles that a message names; that of a matrix, "weight", it only supposes."""
_WORDS: dict[str, Role] = {
    "mask": "mask", "target": "target", "label": "target", "grad": "gradient",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameOperand:
    """An operand as the message and the frames tell of it together."""

    told: Operand
    name: str
    """The tensor's own name: the last word of its path, or of how the line spells it."""
    found: Found | None = None
    """Its variable in the frames; None if only the message mentions it."""


def frame_operands(
    told: Sequence[Operand], op: str | None, traces: Sequence[TracebackType]
) -> tuple[FrameOperand, ...]:
    """Return the operands of the innermost expression whose tensors fit the message; `traces` are innermost first.

    What the message alone tells of stays, where the expression has a part that cannot be looked up. Nothing where no
    frame fits: an op deep in C++, or a traceback without its frames.
    """
    traces = [trace for trace in traces if not _is_kernel(trace)]
    for depth, trace in enumerate(traces[:_FRAMES]):
        found, complete = operands(trace)
        if not found or not (depth == 0 or any(map(_is_stated, told))):
            continue
        missing, pairs = _missing(told, found), _paired(told, found, op)
        if _is_explained(told, pairs, missing, complete=complete):
            known = [
                (_place(one, told), _operand(has, one, op, traces[depth:]))
                for has, one in pairs[:_MOST]
            ]
            known += [
                (_place(one, told), FrameOperand(told=one, name=one.name))
                for one in missing
            ]
            return _ordered(known)
    return ()


def _ordered(placed: list[tuple[int, FrameOperand]]) -> tuple[FrameOperand, ...]:
    return tuple(one for _, one in sorted(placed, key=lambda pair: pair[0]))


def _is_stated(told: Operand) -> bool:
    """Check whether a message says anything of an operand that can be compared with a tensor."""
    return bool(told.dtype or told.device)


def _missing(told: Sequence[Operand], found: Sequence[Found]) -> list[Operand]:
    """Return the operands of a message that no tensor of an expression fits."""
    return [
        one
        for one in told
        if _is_stated(one) and not any(_fits(one, has) for has in found)
    ]


def _is_explained(
    told: Sequence[Operand], pairs: Pairs, missing: Sequence[Operand], *, complete: bool
) -> bool:
    """Check whether an expression's tensors may be a message's: they differ as it says, missing ones are unseen."""
    stated = [one for one in told if _is_stated(one)]
    if missing and (complete or len(missing) == len(stated)):
        return False
    seen = {_meta(one) for one, _ in pairs} | {
        (one.dtype, one.device) for one in missing
    }
    return not stated or len(seen) >= len({(one.dtype, one.device) for one in stated})


def _place(one: Operand | None, told: Sequence[Operand]) -> int:
    """Return an operand's place in the message; other tensors of the call come last."""
    return len(told) if one is None else told.index(one)


def _is_kernel(trace: TracebackType) -> bool:
    """Check whether a frame is of torch's kernels in Python (`_refs`, `_prims_common`, …).

    The op is called further out.
    """
    module = str(trace.tb_frame.f_globals.get("__name__", ""))
    return module.startswith(("torch._", "torch.library")) and module != "torch._tensor"


def _paired(told: Sequence[Operand], found: Sequence[Found], op: str | None) -> Pairs:
    """Return each operand of the message with its tensor, then the other tensors of the call."""
    left = list(found)
    pairs: Pairs = []
    for one in told:
        best = _best(one, left, op)
        if best is not None:
            left = [has for has in left if has is not best]
            pairs.append((best, one))
    known = {id(other.tensor) for other, _ in pairs if other.tensor is not None}
    return pairs + [(has, None) for has in left if id(has.tensor) not in known]


def _best(one: Operand, found: Sequence[Found], op: str | None) -> Found | None:
    """Return the tensor that fits, by its name and then by its role.

    By its name alone where nothing else is said of it.
    """
    fitting = [has for has in found if _fits(one, has)]
    if not _is_stated(one) and not any(one.name in _names(has) for has in fitting):
        return None
    return max(
        fitting,
        key=lambda has: (one.name in _names(has), _role(has, op) == one.role),
        default=None,
    )


def _names(found: Found) -> tuple[str, str]:
    return found.argument, _name(found)


def _fits(told: Operand, found: Found) -> bool:
    dtype, device = _meta(found)
    near = told.device in ("", device, device.partition(":")[0])
    return near and told.dtype in ("", dtype)


def _meta(found: Found) -> tuple[str, str]:
    return str(found.dtype)[6:], str(found.device)


def _name(found: Found) -> str:
    """Return the last word of how it is spelled; of an expression, as much of it as fits on a line."""
    if found.part is None:
        return found.spelled.rpartition(".")[2]
    if len(found.spelled) <= _LONG:
        return found.spelled
    return f"{found.spelled[: _LONG - 1]}…"


def _role(found: Found, op: str | None) -> Role:
    name = _name(found)
    if isinstance(found.tensor, torch.nn.Parameter):
        return _role_in_module(name)
    if name == "grad":
        return "gradient"
    usual: Role = "activation" if found.dtype.is_floating_point else ""
    placed = role_of(found.argument, op)
    told = role_of(name, op) or (usual if placed == "activation" else placed)
    return told or next((role for word, role in _WORDS.items() if word in name), usual)


def _role_in_module(name: str) -> Role:
    return "bias" if "bias" in name else "weight"


def _operand(
    found: Found, told: Operand | None, op: str | None, traces: Sequence[TracebackType]
) -> FrameOperand:
    """Return the operand described by the message (`told`) and a tensor together."""
    owned, path = _paths(found, traces)
    name = path.rpartition(".")[2] or _name(found)
    dtype, device = _meta(found)
    described = Operand(
        name=_shown(found, told, owned),
        role=_told_role(found, told, owned, op),
        tensor=TensorMeta(dtype=dtype, device=device, shape=found.shape),
        path=path or found.spelled,
        dtype_origin=producers.origin(found, traces, "dtype"),
        device_origin=producers.origin(found, traces, "device"),
    )
    return FrameOperand(told=described, name=name, found=found)


def _paths(found: Found, traces: Sequence[TracebackType]) -> tuple[str, str]:
    """Return the path of a parameter or buffer, or "", and how the user refers to it, even by a variable."""
    tensor = found.tensor
    if tensor is None:
        return "", ""
    owned = parameter_paths.of_tensor(tensor, traces) if tensor.is_leaf else ""
    return owned, owned or _spelled_by_user(tensor, traces)


def _told_role(found: Found, told: Operand | None, owned: str, op: str | None) -> Role:
    role = _role(found, op)
    if owned and role == "activation":
        role = _role_in_module(owned.rpartition(".")[2])
    if told is not None and told.role in _STATED and role in ("activation", ""):
        return told.role
    return role


def _shown(found: Found, told: Operand | None, owned: str) -> str:
    """Return the message's name, if it has one for it.

    Else the tensor's own, and of an expression what the op calls it.
    """
    if told is not None and told.name not in _UNNAMED:
        return told.name
    own = owned.rpartition(".")[2] or _name(found)
    if found.part is None:
        return own
    return (told.name if told is not None else found.argument) or own


def _spelled_by_user(tensor: torch.Tensor, traces: Sequence[TracebackType]) -> str:
    """Return the variable that holds it in the innermost frame of the user's code which has it."""
    frames = [
        trace.tb_frame for trace in traces if kind_of(trace.tb_frame.f_code) == USER
    ]
    for frame in frames:
        for name, value in frame.f_locals.items():
            if value is tensor:
                return str(name)
    return ""
