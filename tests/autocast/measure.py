"""Runs calls twice: under torch's own autocast, and without it but with the casts that Miscast predicts.

The op as the dispatcher knows it is seen through a boxed fallback on a key above autograd and autocast, as the
virtual machine sees it. An op that has no policy and is composite is run by its decomposition, so that its inner ops
come back and get theirs; inside an op that has a policy, autocast is off.
"""

from __future__ import annotations

import contextlib
import logging
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._pytree import tree_flatten, tree_map, tree_unflatten

from miscast.torch_facts import autocast

TORCH = tuple(int(n) for n in torch.__version__.split(".")[:2])
KEY = torch._C._dispatch_key_parse("TESTING_ONLY_GenericMode")
KEYSET = torch._C.DispatchKeySet(KEY)
IMPLICIT = torch._C.DispatchKey.CompositeImplicitAutograd
logging.getLogger("torch._subclasses.fake_tensor").setLevel(logging.CRITICAL)  # it logs each error that we provoke

Handler = Callable[..., Any]
Call = tuple[Any, tuple[Any, ...], dict[str, Any]]


def name_of(op: Any) -> str:
    """The name that policies go by: "aten.linear", "aten.norm.Scalar"."""
    schema = op._schema
    overload = f".{schema.overload_name}" if schema.overload_name else ""
    return schema.name.replace("::", ".") + overload


class Watch:
    """Sends ops to a handler; registered once, because registering takes milliseconds."""

    def __init__(self) -> None:
        """Register; inert until `on` includes the key."""
        self._handler: Handler | None = None
        self._library = torch.library.Library("_", "IMPL")  # destroyed by close
        self._library.fallback(self._handle, "TESTING_ONLY_GenericMode")

    def _handle(self, op: Any, *args: Any, **kwargs: Any) -> Any:
        assert self._handler is not None
        return self._handler(op, *args, **kwargs)

    @contextlib.contextmanager
    def on(self, handler: Handler) -> Iterator[None]:
        """Every op that is called inside goes to `handler(op, *args, **kwargs)` first."""
        self._handler = handler
        with torch._C._IncludeDispatchKeyGuard(KEY):
            yield

    def close(self) -> None:
        """Unregister."""
        self._library._destroy()


@contextlib.contextmanager
def torch_autocast(device: str, dtype: torch.dtype, *, cache: bool = True) -> Iterator[None]:
    """What `torch.autocast(device, dtype)` does, also where that device is not there."""
    before = torch.is_autocast_enabled(device), torch.get_autocast_dtype(device), torch.is_autocast_cache_enabled()
    torch.set_autocast_enabled(device, True)
    torch.set_autocast_dtype(device, dtype)
    torch.set_autocast_cache_enabled(cache)
    torch.autocast_increment_nesting()
    try:
        yield
    finally:
        if torch.autocast_decrement_nesting() == 0:
            torch.clear_autocast_cache()
        torch.set_autocast_enabled(device, before[0])
        torch.set_autocast_dtype(device, before[1])
        torch.set_autocast_cache_enabled(before[2])


@dataclass
class Predicted:
    """The handler that casts as `miscast.torch_facts.autocast` says."""

    device: str
    dtype: torch.dtype
    stands: str  # the type of device that stands for `device` here: "meta" for what this machine does not have

    def __call__(self, op: Any, *args: Any, **kwargs: Any) -> Any:
        """Cast, append or leave; then run."""
        tensors = [a for a in tree_flatten((args, kwargs))[0] if isinstance(a, torch.Tensor)]
        here = any(t.device.type == self.stands for t in tensors)
        kind = autocast.policy(self.device, name_of(op), TORCH) if here else None
        if kind is None:
            if torch._C._dispatch_has_kernel_for_dispatch_key(op.name(), IMPLICIT):
                return op._op_dk(IMPLICIT, *args, **kwargs)
            with torch._C._ExcludeDispatchKeyGuard(KEYSET):
                return op(*args, **kwargs)
        with torch._C._ExcludeDispatchKeyGuard(KEYSET):
            op, args, kwargs = self._changed(kind, op, args, kwargs)
            return op(*args, **kwargs)

    def _changed(self, kind: autocast.Policy, op: Any, args: Any, kwargs: Any) -> tuple[Any, Any, Any]:
        first = self._operand(args[0]) if isinstance(args[0], torch.Tensor) else ("int64", False)
        if kind == "float32_append_dtype":
            appended = getattr(torch.ops.aten.norm, autocast.APPENDS_DTYPE[name_of(op)].rsplit(".", 1)[1])
            p, rest = args[1] if len(args) > 1 else 2, args[2:]
            if "dim" in appended._overloadname:
                rest = rest if len(rest) > 1 else (*rest, kwargs.get("keepdim", False))
            dtype = getattr(torch, str(autocast.output_dtype(kind, first, given=None)))
            return appended, (args[0], p, *rest), {"dtype": dtype}
        if kind == "float32_set_opt_dtype":
            place = [a.name for a in op._schema.arguments].index("dtype")
            given = args[place] if len(args) > place else kwargs.get("dtype")
            chosen = autocast.output_dtype(kind, first, given=str(given)[6:] if given else None)
            args = args[:place] if len(args) > place else args
            given = getattr(torch, chosen) if chosen else None
            if op._schema.arguments[place].kwarg_only:
                return op, args, {**kwargs, "dtype": given}
            return op, (*args, *[None] * (place - len(args)), given), {}
        target = autocast.casts(kind, self._votes(op, args, kwargs), str(self.dtype)[6:])
        return (op, *tree_map(lambda a: self._cast(a, target), (args, kwargs)))

    def _votes(self, op: Any, args: Any, kwargs: Any) -> list[autocast.Operand]:
        operands = []
        for place, argument in enumerate(op._schema.arguments):
            value = args[place] if place < len(args) else kwargs.get(argument.name)
            if isinstance(value, torch.Tensor) and "Optional" not in str(argument.type):
                operands.append(self._operand(value))
            elif isinstance(value, list | tuple) and str(argument.type) == "List[Tensor]":
                operands.extend(self._operand(t) for t in value)
        return operands

    def _operand(self, tensor: torch.Tensor) -> autocast.Operand:
        return str(tensor.dtype)[6:], tensor.device.type == self.stands

    def _cast(self, value: Any, target: str | None) -> Any:
        if target is None or not isinstance(value, torch.Tensor):
            return value
        dtype, on_device = self._operand(value)
        may = autocast.eligible(dtype, on_device=on_device)
        return value.to(getattr(torch, target)) if may and dtype != target else value


def outcome(call: Callable[[], Any]) -> tuple[str, ...]:
    """The dtypes that come out of a call, or ("raises", the first line of the error)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            leaves = tree_flatten(call())[0]
        except Exception as error:  # noqa: BLE001 - the error is the outcome
            return "raises", str(error).split("\n", 1)[0]
    return tuple(str(leaf.dtype)[6:] for leaf in leaves if isinstance(leaf, torch.Tensor))


def real(call: Call, device: str, dtype: torch.dtype) -> tuple[str, ...]:
    """What torch's own autocast gives."""
    with torch_autocast(device, dtype):
        return plain(call)


def plain(call: Call) -> tuple[str, ...]:
    """What comes out without autocast."""
    op, args, kwargs = call
    return outcome(lambda: op(*args, **kwargs))


def predicted(watch: Watch, call: Call, device: str, dtype: torch.dtype) -> tuple[str, ...]:
    """What `miscast.torch_facts.autocast` says; the call is on meta tensors if `device` is an accelerator."""
    with watch.on(Predicted(device, dtype, "cpu" if device == "cpu" else "meta")):
        return plain(call)


def retyped(call: Call, dtypes: tuple[torch.dtype, torch.dtype], device: str) -> Call:
    """The call on `device`, its first floating tensor in `dtypes[0]` and the others in `dtypes[1]`."""
    op, args, kwargs = call
    leaves, spec = tree_flatten((args, kwargs))
    seen = 0
    for place, leaf in enumerate(leaves):
        if isinstance(leaf, torch.device):
            leaves[place] = torch.device(device)
        elif isinstance(leaf, torch.Tensor):
            floating = leaf.is_floating_point()
            cast = leaf.to(dtypes[min(seen, 1)]) if floating else leaf
            seen += floating
            leaves[place] = cast if device == "cpu" else _like(cast, device)
    return (op, *tree_unflatten(leaves, spec))


def _like(tensor: torch.Tensor, device: str) -> torch.Tensor:
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device=device)
