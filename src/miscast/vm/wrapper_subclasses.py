"""Tensor subclasses with `__torch_dispatch__`: quantized weights, jagged and masked tensors, wrappers of the program's.

What they do with an op is Python code of theirs, on the tensors within. The op goes on to it, past the virtual machine,
and what that code calls comes back like any other op.

Where such a tensor takes part, torch looks for a kernel in Python by the name of the op, which a fallback for all has
none of. Each op gets its own (`fallback.name_all`), as soon as there is such a tensor.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import torch

from ..running.torch_abi import (
    DispatchKey,
    DispatchKeySet as Keys,
    OpOverload,
    OwnKeys,
    dispatch_key,
    has_kernel,
)
from .fallback import name_all
from .key import KEY
from .provenance.on_behalf import theirs

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

_AUTOGRAD = "CPU", "CUDA", "MPS", "XPU", "PrivateUse1", "Meta", "NestedTensor", "Other"
_KEYS = (
    *(dispatch_key(f"Autograd{kind}") for kind in _AUTOGRAD),
    dispatch_key("Python"),
)
_VIEWS = DispatchKey.ADInplaceOrView
_OPTIONAL = (_VIEWS, *map(dispatch_key, ("Conjugate", "Negative", "ZeroTensor")))
_PLAIN = torch._C._disabled_torch_dispatch_impl
_kinds: WeakKeyDictionary[type, bool] = WeakKeyDictionary()


def dispatches(kind: type) -> bool:
    """Check whether a class of tensors takes ops into its own hands."""
    known = _kinds.get(kind)
    if known is None:
        own = (
            issubclass(kind, torch.Tensor)
            and getattr(kind, "__torch_dispatch__", _PLAIN) is not _PLAIN
        )
        known = _kinds[kind] = own
    return known


def parts(tensor: torch.Tensor) -> Iterator[torch.Tensor]:
    """Yield the tensor itself, and those within it, named by `__tensor_flatten__`, which have the memory."""
    yield tensor
    if dispatches(type(tensor)) and hasattr(tensor, "__tensor_flatten__"):
        for inner in (
            getattr(tensor, name) for name in theirs(tensor.__tensor_flatten__)[0]
        ):
            if isinstance(inner, torch.Tensor):
                yield from parts(inner)


def _onward(
    op: OpOverload, args: Iterable[Any], kwargs: Mapping[str, Any]
) -> Keys | None:
    """Return the keys that lead to autograd, then to the tensor; None if no tensor dispatches."""
    tensors = [*_tensors(args), *_tensors(kwargs.values())]
    if not any(dispatches(type(t)) for t in tensors):
        return None
    keys = Keys(DispatchKey.Undefined)
    for tensor in tensors:
        keys |= torch._C._dispatch_keys(tensor)
    keys = keys - torch._C._dispatch_tls_local_exclude_set()
    kept = Keys(DispatchKey.Undefined)
    for key in _KEYS:
        if keys.has(key):
            kept |= Keys(key)
    for key in _OPTIONAL:
        if keys.has(key) and _counts(op.name(), key):
            kept |= Keys(key)
    return kept


@cache
def _counts(name: str, key: DispatchKey) -> bool:
    """Check whether torch may be sent to a kernel of an op: not to one that only hands on, as `clone` of a conjugate.

    That for views is there only for ops that make one or write in place.
    """
    if not has_kernel(name, key):
        return key is not _VIEWS
    return not torch._C._dispatch_kernel_for_dispatch_key_is_fallthrough(name, key)


def numbers_as_tensors(args: Sequence[Any], wanted: Collection[int]) -> list[Any]:
    """Convert numbers to tensors: `x + 1` reaches `aten.add.Tensor` as a number, which takes tensors."""
    return [
        torch.tensor(a, device="cpu")
        if i in wanted and isinstance(a, (bool, int, float, complex))
        else a
        for i, a in enumerate(args)
    ]


class Following:
    """The handling of such tensors in a run, from the first of them until `end`."""

    def __init__(self) -> None:
        self._classes: dict[Any, Any] = {}
        self.begun = False
        self.handlers: Any = None  # of the ops of DTensor

    def look(self) -> None:
        """Begin with tensors older than the run: those of a class outside of torch, and one that torch keeps."""
        kinds = [torch.Tensor]
        for kind in kinds:
            kinds += kind.__subclasses__()
            if dispatches(kind) and not kind.__module__.startswith("torch."):
                self.begin(kind)
        nested = sys.modules.get("torch.nested._internal.nested_tensor")
        if getattr(nested, "_dummy_instance", None) is not None:
            self.begin(type(nested._dummy_instance))  # type: ignore[union-attr] # it is there

    def onward(
        self, op: OpOverload, args: Iterable[Any], kwargs: Mapping[str, Any]
    ) -> Keys | None:
        """Return where an op goes on that such a tensor takes part in; None if none does."""
        keys = _onward(op, args, kwargs)
        if keys is not None and self.handlers is not None:
            self.handlers.claim(op)
        return keys

    def begin(self, kind: type) -> None:
        """Begin to follow tensors of a class that handles ops itself."""
        owner: Any = next(
            one for one in kind.__mro__ if "__torch_dispatch__" in vars(one)
        )
        if owner not in self._classes:
            self._classes[owner] = vars(owner)["__torch_dispatch__"]
            owner.__torch_dispatch__ = _seen(self._classes[owner])
        if not self.begun:
            self.begun = True
            name_all()

    def end(self) -> None:
        """Restore the classes."""
        for owner, own in self._classes.items():
            owner.__torch_dispatch__ = own
        self._classes.clear()
        self.begun = False


def _seen(own: Any) -> Any:
    """Wrap a `__torch_dispatch__` so that its ops reach the virtual machine; torch disables all keys above its own."""
    function = own.__func__ if isinstance(own, (classmethod, staticmethod)) else own

    def __torch_dispatch__(*args: Any, **kwargs: Any) -> Any:  # noqa: N807 - torch's name
        with OwnKeys(KEY, False):
            return theirs(function, *args, **kwargs)

    if isinstance(own, (classmethod, staticmethod)):
        return type(own)(__torch_dispatch__)
    return __torch_dispatch__


def _tensors(values: Iterable[Any]) -> Iterable[torch.Tensor]:
    for value in values:
        if value.__class__ in (list, tuple):
            yield from (one for one in value if isinstance(one, torch.Tensor))
        elif isinstance(value, torch.Tensor):
            yield value
