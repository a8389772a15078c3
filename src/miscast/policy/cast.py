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
    """Convert data to the dtype and device that a model expects.

        >>> batch = miscast.cast({"pixel_values": pixels, "input_ids": ids}, like=model)

    Only floating-point tensors change their dtype, except for times and positions (`timestep`, `position_ids`). All
    tensors move. For a multimodal model, each input follows the part that takes it: `pixel_values` the vision tower.

    Args:
        tree: A tensor, or a batch of any nesting.
        like: The module, pipeline, tensor or policy to follow.
        dtype: A dtype that overrides that of `like`.
        device: A device that overrides that of `like`.

    Returns:
        The data. An object that already fits is returned unchanged.
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
