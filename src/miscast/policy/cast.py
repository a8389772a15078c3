"""The one conversion for data: dtype and device at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from .policy import Policy

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
    import torch

    from .boundary import converted
    from .torch_dtypes import torch_dtype
    from .tree import mapped
    from .wanted import Wanted, wanted

    if like is None and dtype is None and device is None:
        raise TypeError("cast to what? give like=, dtype= or device=")
    given = torch_dtype(Policy(compute_dtype=dtype).compute_dtype)
    place = None if device is None else torch.device(device)
    known: dict[str | None, Wanted] = {}

    def leaf(tensor: torch.Tensor, name: str | None) -> torch.Tensor:
        if name not in known:
            known[name] = Wanted() if like is None else wanted(like, name)
        want = known[name]
        return converted(tensor, given or want.dtype, place if place is not None else want.device, name)

    result: Tree = mapped(tree, leaf)
    return result
