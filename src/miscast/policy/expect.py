"""The check at an interaction point: what differs is named, and nothing is converted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from .policy import Policy

if TYPE_CHECKING:
    import torch

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
    """What wants it: the path of a module, or its class."""

    def __str__(self) -> str:
        wants = f"{self.who} wants" if self.who else "expected"
        return f"{self.path}: {self.dtype} on {self.device}, {wants} {self.wanted_dtype} on {self.wanted_device}"


class MismatchError(TypeError):
    """Tensors that are not what is expected; `differences` has each of them, the message one line for each."""

    def __init__(self, differences: tuple[Difference, ...]) -> None:
        """Say each difference in a line of its own."""
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
    """The tree itself, if `cast` with the same arguments would change nothing; else MismatchError, naming each tensor.

    batch["pixel_values"]: float32 on cpu, vision_tower wants bfloat16 on cuda:0
    """
    import torch

    from .meaning import keeps_its_dtype
    from .torch_dtypes import dtype_name, torch_dtype
    from .tree import tensors
    from .wanted import Wanted, wanted

    if like is None and dtype is None and device is None:
        raise TypeError("expect what? give like=, dtype= or device=")
    given = torch_dtype(Policy(compute_dtype=dtype).compute_dtype)
    place = None if device is None else torch.device(device)
    known: dict[str | None, Wanted] = {}
    differences = []
    for path, key, tensor in tensors(tree, name):
        if key not in known:
            known[key] = Wanted() if like is None else wanted(like, key)
        want = known[key]
        stays = keeps_its_dtype(key) or not tensor.is_floating_point()
        right = tensor.dtype if stays else given or want.dtype or tensor.dtype
        where = next(each for each in (place, want.device, tensor.device) if each is not None)
        if tensor.dtype != right or not _same(tensor.device, where):
            differences.append(
                Difference(
                    path=path,
                    dtype=dtype_name(tensor.dtype),
                    device=str(tensor.device),
                    wanted_dtype=dtype_name(right),
                    wanted_device=str(where),
                    who=want.who if given is None and place is None else "",
                )
            )
    if differences:
        raise MismatchError(tuple(differences))
    return tree


def _same(device: torch.device, wanted: torch.device) -> bool:
    return device == wanted or str(wanted) == device.type  # "cuda" is any of them
