"""The one conversion for data: dtype and device at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import torch

Tree = TypeVar("Tree")


def cast(
    tree: Tree,
    *,
    like: Any = None,
    dtype: str | torch.dtype | None = None,
    device: str | torch.device | int | None = None,
) -> Tree:
    """Data in the dtype and on the device that `like` wants: tensors, and batches nested in any way.

    `like` is a module, a pipeline, a tensor or a Policy; `dtype` and `device` go before what it says. Floats alone
    change their dtype, but for times and positions (`timestep`, `position_ids`); every tensor moves. Of a multimodal
    model, each input follows the part that takes it: `pixel_values` the vision tower. What fits already is the same
    object.

    >>> batch = miscast.cast({"pixel_values": pixels, "input_ids": ids}, like=model)
    """
    from .boundary import converted
    from .tree import mapped
    from .wanted import by_name

    if like is None and dtype is None and device is None:
        raise TypeError("cast() needs like=, dtype= or device=")
    wanted = by_name(like, dtype, device)

    def leaf(tensor: torch.Tensor, name: str | None) -> torch.Tensor:
        want = wanted(name)
        return converted(tensor, want.dtype, want.device, name)

    result: Tree = mapped(tree, leaf)
    return result
