"""Collectives as if every rank had this rank's data. The signatures are torch.distributed's.

Values are copied where shapes allow it; reductions leave the tensor as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch


NOT_STARTED = "Default process group has not been initialized, please make sure to call init_process_group."


class Done:
    """The handle of a collective that is over."""

    def wait(self, timeout: Any = None) -> bool:  # noqa: ARG002 - torch's signature
        """Return True at once."""
        return True

    def is_completed(self) -> bool:
        """Return True."""
        return True

    is_success = is_completed

    def result(self) -> list[Any]:
        """Return an empty list, since reductions are done in place."""
        return []

    def get_future(self) -> Any:
        """Return a future that holds nothing."""
        from torch.futures import Future

        future: Any = Future()
        future.set_result(None)
        return future


def _nothing(*_: Any, **__: Any) -> None:
    """Leave the tensor unchanged: for reductions, broadcasts from this rank, and barriers."""


def _copy(target: torch.Tensor, source: torch.Tensor) -> None:
    """Copy the part of one rank as far as both tensors reach."""
    flat, given = target.detach().view(-1), source.detach().reshape(-1)
    count = given.numel()
    if flat.numel() <= count:
        flat.copy_(given[: flat.numel()])
    else:
        for start in range(0, flat.numel() - count + 1, max(count, 1)):
            flat[start : start + count].copy_(given)


def _copying(first: str, second: str) -> Callable[..., None]:
    """Return a collective of the parameters `first` and `second`, of which the former is filled from the latter.

    Each is a tensor, or a list of one for each rank: what comes from others is what this rank has.
    """

    def collective(*args: Any, **kwargs: Any) -> None:
        given = dict(zip((first, second), args, strict=False)) | kwargs
        targets, sources = _listed(given.get(first)), _listed(given.get(second))
        if sources:
            for i, target in enumerate(targets):
                _copy(target, sources[i if len(sources) == len(targets) else 0])

    return collective


def _listed(given: Any) -> list[torch.Tensor]:
    return (
        list(given or ()) if isinstance(given, (list, tuple, type(None))) else [given]
    )


def _gather(
    tensor: torch.Tensor,
    gather_list: list[torch.Tensor] | None = None,
    *_: Any,
    **__: Any,
) -> None:
    for target in gather_list or ():
        _copy(target, tensor)


def _objects(object_list: list[Any], obj: Any, *_: Any, **__: Any) -> None:
    object_list[:] = [obj] * len(object_list)


def _gather_object(
    obj: Any, object_gather_list: list[Any] | None = None, *_: Any, **__: Any
) -> None:
    if object_gather_list is not None:
        _objects(object_gather_list, obj)


def _scatter_objects(
    scatter_object_output_list: list[Any],
    scatter_object_input_list: list[Any] | None = None,
    *_: Any,
    **__: Any,
) -> None:
    if scatter_object_input_list:
        scatter_object_output_list[0] = scatter_object_input_list[0]


def _receive(tensor: Any = None, src: int | None = None, *_: Any, **__: Any) -> int:  # noqa: ARG001 - torch's signature
    return src or 0


def _batch(p2p_op_list: list[Any]) -> list[Done]:
    return [Done() for _ in p2p_op_list]


_SILENT = (
    "all_reduce", "all_reduce_coalesced", "broadcast", "reduce", "barrier",
    "monitored_barrier", "send", "isend", "broadcast_object_list", "send_object_list",
)  # fmt: skip
COPIED = {
    "all_gather": ("tensor_list", "tensor"), "all_to_all": ("output_tensor_list", "input_tensor_list"),
    "reduce_scatter": ("output", "input_list"), "scatter": ("tensor", "scatter_list"),
    **dict.fromkeys(
        ("all_gather_into_tensor", "all_gather_single", "_all_gather_base"), ("output_tensor", "input_tensor"),
    ),
    **dict.fromkeys(
        ("all_to_all_single", "reduce_scatter_single", "reduce_scatter_tensor", "_reduce_scatter_base"),
        ("output", "input"),
    ),
}  # fmt: skip
"""The parameters of collectives whose first is filled from the second."""
COLLECTIVES: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(_SILENT, _nothing), **{name: _copying(*names) for name, names in COPIED.items()},
    "all_gather_object": _objects, "batch_isend_irecv": _batch, "gather": _gather, "gather_object": _gather_object,
    "irecv": _receive, "recv": _receive, "scatter_object_list": _scatter_objects,
}  # fmt: skip
