"""The path of a parameter or buffer, as the program would write it: `unet.time_embedding.linear_1.weight`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .module_members import KINDS, named_tensors
from .module_paths import path, roots
from .origin import USER, kind_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    import torch


def of_tensor(tensor: torch.Tensor, traces: Sequence[TracebackType]) -> str:
    """Return the path from the outermost variable that holds its module; "" where no module of the frames has it."""
    frames = [trace.tb_frame for trace in traces]
    users = [frame for frame in frames if kind_of(frame.f_code) == USER]
    models: dict[int, tuple[str, torch.nn.Module]] = {}
    for variable, module in (*roots(users), *roots(frames)):
        models.setdefault(id(module), (variable, module))
    members = (
        (variable, named_tensors(module, kind))
        for variable, module in models.values()
        for kind in KINDS
    )
    return next(
        (
            f"{variable}.{name}"
            for variable, named in members
            for name, one in named
            if one is tensor
        ),
        "",
    )


def at_work(traces: Sequence[TracebackType]) -> str:
    """Return the path of the module in whose forward it happened; "" outside of modules."""
    return path(traces[0].tb_frame) or "" if traces else ""
