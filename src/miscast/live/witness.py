"""The tensors behind the operands of a message: found in the traceback's frames by what the message says of them.

mat1  Float   ->  `sample`, float32 [2, 320], an activation, promoted by cat at train.py:9
mat2  Half    ->  `unet.time_embedding.linear_1.weight`, float16 [1280, 320], cast at train.py:4
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType

import torch

from ..event import Event
from ..explanation.explanation import Role, Told
from ..explanation.operands import role as role_of
from ..provenance import parameter_paths
from ..provenance.failed_expression import Found, operands
from . import made

_FRAMES = 12
_MOST = 6
_LONG = 40
_UNNAMED = frozenset({"found", "expected", "one tensor", "another", "the others", "input", "tensors", "self", "other"})
"""What a message calls operands whose names it does not know."""
_STATED = ("mask", "target", "gradient", "optimizer state", "index")
"""Roles that a message names; that of a matrix, "weight", it only supposes."""
_WORDS: dict[str, Role] = {"mask": "mask", "target": "target", "label": "target", "grad": "gradient"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """An operand as the message and the frames tell of it together."""

    told: Told
    name: str
    """The tensor's own name: the last word of its path, or of how the line spells it."""
    dtype: Event | None = None
    device: Event | None = None


def witnesses(told: Sequence[Told], op: str | None, traces: Sequence[TracebackType]) -> tuple[Witness, ...]:
    """The operands of the innermost expression whose tensors fit the message; `traces` innermost first.

    What the message alone tells of stays, where the expression has a part that cannot be looked up. Nothing where no
    frame fits: an op deep in C++, or a traceback without its frames.
    """
    stated = [one for one in told if one.dtype or one.device]
    traces = [trace for trace in traces if not _is_kernel(trace)]
    for depth, trace in enumerate(traces[:_FRAMES]):
        found, complete = operands(trace)
        fitting = [one for one in stated if any(_fits(one, has) for has in found)]
        missing = [one for one in stated if one not in fitting]
        if not found or (missing and (complete or not fitting)) or not (stated or depth == 0):
            continue
        pairs = _paired(told, found, op)
        seen = {_meta(one) for one, _ in pairs} | {(one.dtype, one.device) for one in missing}
        if stated and len(seen) < len({(one.dtype, one.device) for one in stated}):
            continue
        known = [(_place(one, told), _witness(has, one, op, traces[depth:])) for has, one in pairs[:_MOST]]
        known += [(_place(one, told), Witness(told=one, name=one.name)) for one in missing]
        return tuple(one for _, one in sorted(known, key=lambda pair: pair[0]))
    return ()


def _place(one: Told | None, told: Sequence[Told]) -> int:
    """As the message has them, then the other tensors of the call."""
    return len(told) if one is None else told.index(one)


def _is_kernel(trace: TracebackType) -> bool:
    """Whether a frame is of torch's kernels in Python (`_refs`, `_prims_common`, …): the op is called further out."""
    module = str(trace.tb_frame.f_globals.get("__name__", ""))
    return module.startswith(("torch._", "torch.library")) and module != "torch._tensor"


def _paired(told: Sequence[Told], found: Sequence[Found], op: str | None) -> list[tuple[Found, Told | None]]:
    """Each operand that the message tells of with its tensor, then the other tensors of the call."""
    left = list(found)
    pairs: list[tuple[Found, Told | None]] = []
    for one in told:
        fitting = [has for has in left if _fits(one, has)]
        if not (one.dtype or one.device) and not any(one.name in _names(has) for has in fitting):
            continue
        best = max(fitting, key=lambda has: (one.name in _names(has), _role(has, op) == one.role), default=None)
        if best is not None:
            left = [has for has in left if has is not best]
            pairs.append((best, one))
    known = {id(other.tensor) for other, _ in pairs if other.tensor is not None}
    return pairs + [(has, None) for has in left if id(has.tensor) not in known]


def _names(found: Found) -> tuple[str, str]:
    return found.argument, _name(found)


def _fits(told: Told, found: Found) -> bool:
    dtype, device = _meta(found)
    near = told.device in (None, device, device.partition(":")[0])
    return near and told.dtype in (None, dtype)


def _meta(found: Found) -> tuple[str, str]:
    return str(found.dtype)[6:], str(found.device)


def _name(found: Found) -> str:
    """The last word of how it is spelled; of an expression, as much of it as fits on a line."""
    if found.part is None:
        return found.spelled.rpartition(".")[2]
    return found.spelled if len(found.spelled) <= _LONG else f"{found.spelled[: _LONG - 1]}…"


def _role(found: Found, op: str | None) -> Role:
    name = _name(found)
    if isinstance(found.tensor, torch.nn.Parameter):
        return "bias" if "bias" in name else "weight"
    if name == "grad":
        return "gradient"
    usual: Role = "activation" if found.dtype.is_floating_point else ""
    placed = role_of(found.argument, op)
    told = role_of(name, op) or (usual if placed == "activation" else placed)
    if told:
        return told
    return next((role for word, role in _WORDS.items() if word in name), usual)


def _witness(found: Found, told: Told | None, op: str | None, traces: Sequence[TracebackType]) -> Witness:
    tensor = found.tensor
    dtype, device = _meta(found)
    owned = parameter_paths.of_tensor(tensor, traces) if tensor is not None and tensor.is_leaf else ""
    path = owned or (_spelled_by_user(tensor, traces) if tensor is not None else "")
    name = path.rpartition(".")[2] or _name(found)
    role = _role(found, op)
    if owned and role == "activation":
        role = "bias" if "bias" in name else "weight"
    if told is not None and told.role in _STATED and role in ("activation", ""):
        role = told.role
    own = name if owned else _name(found)
    if found.part is not None:  # what the op calls it is shorter than the expression, which is told beside it
        own = (told.name if told is not None else found.argument) or own
    shown = told.name if told is not None and told.name not in _UNNAMED else own
    return Witness(
        told=Told(name=shown, role=role, dtype=dtype, device=device, shape=found.shape, path=path or found.spelled),
        name=name, dtype=made.origin(found, traces, "dtype"), device=made.origin(found, traces, "device"),
    )  # fmt: skip


def _spelled_by_user(tensor: torch.Tensor, traces: Sequence[TracebackType]) -> str:
    """The variable that holds it in the innermost frame of the user's code which has it."""
    from ..provenance.origin import USER, kind_of

    for trace in traces:
        if kind_of(trace.tb_frame.f_code) == USER:
            for name, held in trace.tb_frame.f_locals.items():
                if held is tensor:
                    return str(name)
    return ""
