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


def _all_gather(
    tensor_list: list[torch.Tensor], tensor: torch.Tensor, *_: Any, **__: Any
) -> None:
    for target in tensor_list:
        _copy(target, tensor)


def _gather(
    tensor: torch.Tensor,
    gather_list: list[torch.Tensor] | None = None,
    *_: Any,
    **__: Any,
) -> None:
    for target in gather_list or ():
        _copy(target, tensor)


def _scatter(
    tensor: torch.Tensor,
    scatter_list: list[torch.Tensor] | None = None,
    *_: Any,
    **__: Any,
) -> None:
    if scatter_list:
        _copy(tensor, scatter_list[0])


def _reduce_scatter(
    output: torch.Tensor, input_list: list[torch.Tensor], *_: Any, **__: Any
) -> None:
    _copy(output, input_list[0])


def _all_to_all(
    output_tensor_list: list[torch.Tensor],
    input_tensor_list: list[torch.Tensor],
    *_: Any,
    **__: Any,
) -> None:
    for target, source in zip(output_tensor_list, input_tensor_list, strict=False):
        _copy(target, source)


def _into(output: torch.Tensor, input: torch.Tensor, *_: Any, **__: Any) -> None:  # noqa: A002 - torch's name
    _copy(output, input)


def _into_tensor(
    output_tensor: torch.Tensor, input_tensor: torch.Tensor, *_: Any, **__: Any
) -> None:
    _copy(output_tensor, input_tensor)


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
COLLECTIVES: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(_SILENT, _nothing), "all_gather": _all_gather, "all_gather_into_tensor": _into_tensor,
    "all_gather_single": _into_tensor, "_all_gather_base": _into_tensor, "all_gather_object": _objects,
    "all_to_all": _all_to_all, "all_to_all_single": _into, "batch_isend_irecv": _batch, "gather": _gather,
    "gather_object": _gather_object, "irecv": _receive, "recv": _receive, "reduce_scatter": _reduce_scatter,
    "reduce_scatter_single": _into, "reduce_scatter_tensor": _into, "_reduce_scatter_base": _into,
    "scatter": _scatter, "scatter_object_list": _scatter_objects,
}  # fmt: skip
