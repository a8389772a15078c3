"""The check at an interaction point: what differs is named, and nothing is converted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import torch

    from .wanted import Wanted

Tree = TypeVar("Tree")


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One tensor that is not what is expected."""

    path: str
    """`batch["pixel_values"]`."""
    dtype: str
    device: str
    wanted_dtype: str
    wanted_device: str
    who: str
    """The module that expects it: its path or its class."""

    def __str__(self) -> str:
        wants = f"but {self.who} expects" if self.who else "but expected"
        return f"{self.path}: {self.dtype} on {self.device}, {wants} {self.wanted_dtype} on {self.wanted_device}"


class MismatchError(TypeError):
    """Tensors do not have the expected dtype or device. The message has a line for each.

    Attributes:
        differences: The tensors, with what they are and what was expected.
    """

    def __init__(self, differences: tuple[Difference, ...]) -> None:
        self.differences = differences
        super().__init__("\n".join(map(str, differences)))

    def __reduce__(self) -> tuple[type[MismatchError], tuple[tuple[Difference, ...]]]:
        return (MismatchError, (self.differences,))


def expect(
    tree: Tree,
    *,
    like: Any = None,
    dtype: str | torch.dtype | None = None,
    device: str | torch.device | int | None = None,
    name: str = "batch",
) -> Tree:
    """Check that data has the dtype and device that a model expects. Nothing is converted.

    Args:
        tree: A tensor, or a batch of any nesting.
        like: The module, pipeline, tensor or policy to compare with.
        dtype: A dtype that overrides that of `like`.
        device: A device that overrides that of `like`.
        name: What the message calls the data.

    Returns:
        `tree` itself.

    Raises:
        MismatchError: `cast` with the same arguments would change a tensor. The message has a line for each, such as
            `batch["pixel_values"]: float32 on cpu, but vision_tower expects bfloat16 on
            cuda:0`.
    """
    from .tree import tensors
    from .wanted import by_name

    if like is None and dtype is None and device is None:
        raise TypeError("expect() needs like=, dtype= or device=")
    wanted = by_name(like, dtype, device)
    found = [
        _difference(path, key, tensor, wanted(key))
        for path, key, tensor in tensors(tree, name)
    ]
    differences = tuple(filter(None, found))
    if differences:
        raise MismatchError(differences)
    return tree


def _difference(
    path: str, key: str | None, tensor: torch.Tensor, want: Wanted
) -> Difference | None:
    from .meaning import keeps_its_dtype
    from .torch_dtypes import dtype_name

    stays = keeps_its_dtype(key) or not tensor.is_floating_point()
    dtype = tensor.dtype if stays else want.dtype or tensor.dtype
    device = want.device or tensor.device
    # "cuda" is any of them
    here = str(tensor.device), tensor.device.type
    if tensor.dtype == dtype and str(device) in here:
        return None
    return Difference(
        path=path,
        dtype=dtype_name(tensor.dtype),
        device=str(tensor.device),
        wanted_dtype=dtype_name(dtype),
        wanted_device=str(device),
        who=want.who,
    )
