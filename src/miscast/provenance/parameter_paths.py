"""The path of a parameter or buffer, as the program would write it: `unet.time_embedding.linear_1.weight`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .module_paths import path, roots
from .origin import USER, kind_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    import torch


def of_tensor(tensor: torch.Tensor, traces: Sequence[TracebackType]) -> str:
    """The path from the outermost variable that holds its module; "" where no module of the frames has it."""
    frames = [trace.tb_frame for trace in traces]
    seen: set[int] = set()
    for named, root in [*roots([frame for frame in frames if kind_of(frame.f_code) == USER]), *roots(frames)]:
        if id(root) in seen:
            continue
        seen.add(id(root))
        for members in (root.named_parameters(remove_duplicate=False), root.named_buffers(remove_duplicate=False)):
            for name, member in members:
                if member is tensor:
                    return f"{named}.{name}"
    return ""


def at_work(traces: Sequence[TracebackType]) -> str:
    """The path of the module in whose forward it happened; "" outside of modules."""
    return path(traces[0].tb_frame) or "" if traces else ""
