"""Read from an op's schema, once, what the dispatcher needs to know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import torch

from ..running.torch_abi import DispatchKey, OpOverload, has_kernel
from ..torch_facts.autocast import Policy, policy
from ..torch_facts.contracts import Contract, contracts_for, pointwise_contract
from ..torch_facts.contracts.release import release
from .custom_ops import is_registered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Args: TypeAlias = "tuple[Any, ...]"
Kwargs: TypeAlias = "dict[str, Any]"
"""The arguments of an op."""
TORCH_VERSION = release()
COMPOSITE = DispatchKey.CompositeImplicitAutograd
# Composites that choose by shape between inner ops with demands of their own (cdist: matmul above 25 rows).
_BY_SHAPE = frozenset({"cdist"})
# Composites whose inner ops bring nothing: views, moves and padding. Looking inside would only cost time.
_FLAT = frozenset({
    "reshape", "flatten", "unflatten", "chunk", "tensor_split", "contiguous", "dropout",
    "feature_dropout", "type_as", "view_as", "expand_as", "reshape_as", "movedim",
    "moveaxis", "swapaxes", "swapdims", "ravel", "adjoint", "mT", "mH", "numpy_T",
    "matrix_H", "requires_grad_", "atleast_1d", "atleast_2d", "atleast_3d",
    "broadcast_to", "narrow", "split", "unsafe_chunk", "resolve_conj", "resolve_neg",
    "positive", "is_floating_point", "is_complex", "size", "stride", "sym_size",
    "retain_grad", "output_nr", "_version", "is_leaf", "data", "softmax", "log_softmax",
    "silu", "relu6", "selu", "celu", "gelu", "conj", "to", "float", "half",
    "_pad_packed_sequence",
})  # fmt: skip
# Operands that C++ reads from the memory of the CPU.
_HOST = frozenset({
    "_pack_padded_sequence.lengths", "tensor_split.tensor_indices_or_sections", "narrow.start",
    "_pad_packed_sequence.batch_sizes", "_pack_padded_sequence_backward.batch_sizes", "lstm.batch_sizes",
    "gru.batch_sizes", "rnn_tanh.batch_sizes", "rnn_relu.batch_sizes",
})  # fmt: skip
_NUMBER = frozenset({"number", "Optional[number]"})
# the latter of backward ops: forward's
_DTYPE = frozenset({("dtype", "Optional[int]"), ("input_dtype", "int")})
_DATA_DEPENDENT = frozenset(
    {torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape}
)


class Plan:
    """An op as the dispatcher runs it.

    `tensors` are the positions of tensor and tensor-list arguments, `keywords` the names of those that are
    keyword-only, `numbers` the names of those that take Python numbers of any kind, `dtyped` of those that take a dtype
    (the result's: the operands' own then count for little), `device` the position or name of
    the device argument, `writes` the argument names that it changes. A `whole` op consists of others and has no kernel
    of its own; it is `composite` if they matter. `op` is run on meta tensors, `kernel` is torch's own op.
    """

    __slots__ = (
        "_contracts", "_policies", "by_shape", "composite", "data_dependent", "device", "dtyped", "generator", "host",
        "kernel", "keywords", "name", "names", "numbers", "op", "optional", "optional_lists", "pointwise", "random",
        "registered", "short", "special", "tensors", "view", "whole", "writes",
    )  # fmt: skip

    def __init__(self, op: OpOverload, special: Callable[..., Any] | None) -> None:
        """Read the schema."""
        schema, arguments = op._schema, op._schema.arguments
        self.op = self.kernel = op
        self.short = schema.name.split("::")[1]
        self.name = schema.name.replace("::", ".") + (
            f".{schema.overload_name}" if schema.overload_name else ""
        )
        self.special = special
        self._read_arguments(arguments)
        self._read_tags(op)
        self.view = any(
            r.alias_info is not None and not r.alias_info.is_write
            for r in schema.returns
        )
        # Those that have a kernel beside their parts (silu_backward) make nothing within on a real device.
        self.whole = has_kernel(op.name(), COMPOSITE) and not has_kernel(
            op.name(), DispatchKey.CPU
        )
        self.composite = self.whole and self.short not in _FLAT
        self.by_shape = self.short in _BY_SHAPE
        self.registered = is_registered(op)
        self._contracts: dict[str, Contract | None] = {}
        self._policies: dict[str, Policy | None] = {}

    def _read_arguments(self, arguments: Sequence[Any]) -> None:
        tensors = [a for a in arguments if _holds_tensor(a)]
        self.names = tuple(a.name for a in arguments)
        self.tensors = tuple(
            i for i, a in enumerate(arguments) if _holds_tensor(a) and not a.kwarg_only
        )
        self.keywords = _names(tensors, lambda a: a.kwarg_only)
        self.optional = frozenset(
            _names(tensors, lambda a: str(a.type).startswith("Optional"))
        )
        self.optional_lists = frozenset(
            _names(tensors, lambda a: str(a.type).startswith("List[Optional"))
        )
        self.writes = _names(
            tensors, lambda a: a.alias_info is not None and a.alias_info.is_write
        )
        self.numbers = frozenset(_names(arguments, lambda a: str(a.type) in _NUMBER))
        self.dtyped = frozenset(
            _names(arguments, lambda a: (a.name, str(a.type)) in _DTYPE)
        )
        self.device = _place(arguments, "device")
        self.generator = "generator" in self.names
        self.host = tuple(
            i for i, name in enumerate(self.names) if f"{self.short}.{name}" in _HOST
        )

    def _read_tags(self, op: OpOverload) -> None:
        self.pointwise = (
            torch.Tag.pointwise in op.tags
            or torch.Tag.pointwise in _functional_tags(op)
        )
        self.random = torch.Tag.nondeterministic_seeded in op.tags
        self.data_dependent = not _DATA_DEPENDENT.isdisjoint(op.tags)

    def contract(self, device: str) -> Contract | None:
        """Return the op's contract on a kind of device, the default one for pointwise ops, or None."""
        try:
            return self._contracts[device]
        except KeyError:
            found = contracts_for(self.name, device, TORCH_VERSION)
            if found is None and self.pointwise:
                found = pointwise_contract(self.name)
            self._contracts[device] = found
            return found

    def policy(self, device: str) -> Policy | None:
        """Return the op's autocast policy on a kind of device, or None if autocast leaves it alone."""
        try:
            return self._policies[device]
        except KeyError:
            found = self._policies[device] = policy(device, self.name, TORCH_VERSION)
            return found


def _holds_tensor(argument: Any) -> bool:
    return "Tensor" in str(argument.type)


def _names(arguments: Iterable[Any], test: Callable[[Any], Any]) -> tuple[str, ...]:
    return tuple(a.name for a in arguments if test(a))


def _place(arguments: Iterable[Any], name: str) -> str | int | None:
    """Return where a call has an argument: its name if it is keyword-only, else its position.

    None if the op has none.
    """
    return next(
        (
            name if a.kwarg_only else i
            for i, a in enumerate(arguments)
            if a.name == name
        ),
        None,
    )


def _functional_tags(op: OpOverload) -> list[torch.Tag]:
    """Return the tags of the functional form of an in-place op (torch tags only the functional one)."""
    name = op._schema.name.split("::")[1]
    if not name.endswith("_") or name.startswith("_"):
        return []
    packet = getattr(torch.ops.aten, name[:-1], None)
    overload = getattr(packet, op._overloadname, None) if packet else None
    return list(overload.tags) if overload is not None else []
