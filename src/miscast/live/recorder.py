"""Record the origin of each tensor's dtype and device in a real run: creation, casts, moves and loads.

Only calls that give a dtype or a device are watched: torch's factories, the conversions of `Tensor` and `nn.Module`,
parameters as modules get them, and loaded files. Ops are not, so a training step costs what it cost. What is kept of
it is in `vm/provenance/tensor_history.py`.

Not seen: what an op computes (`producers.py` looks at the line that did), and tensors made in C++ or by
`torch.FloatTensor`.
"""

from __future__ import annotations

import sys
from collections import deque
from functools import partial, wraps
from types import FunctionType
from typing import TYPE_CHECKING, Any

import torch
from torch.nn.modules import module as nn_module

from ..running.torch_abi import WithoutTorchFunction, jit_builtins
from ..vm.provenance.origin import Origin, places
from ..vm.provenance.tensor_history import (
    MOST,
    NOTHING,
    RECENT,
    Note,
    Result,
    hang,
    note,
    recording,
    remember,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..core.event import EventKind

FACTORIES = (
    "tensor", "as_tensor", "asarray", "from_numpy", "frombuffer", "zeros", "ones",
    "empty", "full", "eye", "rand", "randn", "randint", "randperm", "arange", "range",
    "linspace", "logspace", "normal", "bernoulli", "polar", "zeros_like", "ones_like",
    "empty_like", "full_like", "rand_like", "randn_like", "randint_like",
    "empty_strided",
)  # fmt: skip
NEW = ("new_tensor", "new_zeros", "new_ones", "new_empty", "new_full")
CASTS = (
    "to", "type", "type_as", "half", "bfloat16", "float", "double", "char", "byte",
    "short", "int", "long", "bool", "cfloat", "cdouble", "chalf", "cpu", "cuda", "xpu",
    "npu", "hpu", "mtia",
)  # fmt: skip
MODULE_CASTS = (
    "to", "to_empty", "type", "half", "bfloat16", "float", "double", "cpu", "cuda",
    "xpu", "npu", "hpu", "ipu", "mtia",
)  # fmt: skip


"""A program's own `TorchFunctionMode` or subclass does not see what is asked here; no public name turns off both."""


def install() -> None:
    """Watch from now on, for the rest of the process. Once is enough."""
    if recording():
        return
    recent: deque[Result] = deque(maxlen=MOST)
    from torch.utils._device import _device_constructors

    # Filled when it is first asked for: `torch.device` as a context must know the factories that C++ hands it.
    _device_constructors()
    for name in FACTORIES:
        _replace(torch, name, partial(_factory, recent), recent)
    for name in NEW:
        _replace(torch.Tensor, name, partial(_factory, recent), recent)
    for name in CASTS:
        _replace(torch.Tensor, name, partial(_cast, recent), recent)
    for name in MODULE_CASTS:
        _replace(torch.nn.Module, name, _conversion)
    _replace(torch, "load", _load)
    nn_module.register_module_parameter_registration_hook(_registered)
    nn_module.register_module_buffer_registration_hook(_registered)


def install_safetensors() -> None:
    """Record loads from safetensors' files in the same way."""
    # the package does not have it as an attribute yet
    files = sys.modules["safetensors.torch"]
    for name in ("load_file", "load"):
        _replace(files, name, _load)


def install_pretrained(module: str) -> None:
    """Record loads of models that a library reads in Rust: `from_pretrained` counts as a load."""
    for owner in vars(sys.modules[module]).values():
        if isinstance(owner, type) and owner.__module__ == module:
            found = owner.__dict__.get("from_pretrained")
            if isinstance(found, classmethod):
                label = f"{owner.__name__}.from_pretrained"
                owner.from_pretrained = classmethod(_load(label, found.__func__))  # type: ignore[attr-defined]


def _replace(
    owner: Any,
    name: str,
    wrapped: Callable[[str, Any], Any],
    recent: deque[Result] | None = None,
) -> None:
    original = getattr(owner, name, None)
    if original is None:
        return
    who = "nn.Module" if owner is torch.nn.Module else owner.__name__
    label = f"{who}.{name}"
    watched = wrapped(label.replace("torch.Tensor", "Tensor"), original)
    setattr(watched, RECENT, recent)
    # pickle looks functions up by name; a builtin's leads to torch._C
    if not isinstance(original, FunctionType):
        watched.__module__ = "torch"
        watched.__qualname__ = f"{'Tensor.' if owner is torch.Tensor else ''}{name}"
    setattr(owner, name, watched)
    # `torch.jit.script` finds a builtin by its identity; a public way to name one does not exist.
    symbol = jit_builtins._find_builtin(original)
    if symbol is not None:
        jit_builtins._register_builtin(watched, symbol)


def _factory(
    recent: deque[Result], op: str, original: Callable[..., Any]
) -> Callable[..., Any]:
    compiling = torch.compiler.is_compiling

    @wraps(original)
    def made(*args: Any, **kwargs: Any) -> Any:
        result = original(*args, **kwargs)
        if not compiling():
            _born(result, op, args, recent)
        return result

    return made


def _cast(
    recent: deque[Result], op: str, original: Callable[..., Any]
) -> Callable[..., Any]:
    compiling = torch.compiler.is_compiling

    @wraps(original)
    def cast(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = original(self, *args, **kwargs)
        if not compiling():
            _changed(self, result, op, recent)
        return result

    return cast


def _born(result: Any, op: str, args: tuple[Any, ...], recent: deque[Result]) -> None:
    if not isinstance(result, torch.Tensor):
        return
    with WithoutTorchFunction():
        frame = sys._getframe(2)
        first = args[0] if args else None
        like = None
        if isinstance(first, torch.Tensor) and first.dtype == result.dtype:
            like = note(first).dtype
        origin = Origin("born", op, result.dtype, result.device, places(frame), like)
        noted = Note(origin, origin)
        hang(result, noted)
        remember(recent, frame, result, noted)


def _changed(before: torch.Tensor, after: Any, op: str, recent: deque[Result]) -> None:
    if not isinstance(after, torch.Tensor):
        return
    with WithoutTorchFunction():
        frame = sys._getframe(2)
        noted = note(before)
        if after is not before:
            dtype, device = noted
            if after.dtype != before.dtype:
                dtype = Origin("cast", op, after.dtype, after.device, places(frame))
            if after.device != before.device:
                device = Origin("moved", op, after.dtype, after.device, places(frame))
            if dtype is not None or device is not None:
                noted = Note(dtype, device)
                hang(after, noted)
        remember(recent, frame, after, noted)


def _conversion(op: str, original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a conversion of a module: what it changed is compared afterwards, once, at the outermost module."""

    @wraps(original)
    def converted(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = {id(t): (t.dtype, t.device, note(t)) for t in _members(self)}
        result = original(self, *args, **kwargs)
        where = places(sys._getframe(1))
        made: dict[tuple[object, ...], Origin] = {}
        for tensor in _members(self):
            old, there, (dtype, device) = before.get(id(tensor), (None, None, NOTHING))
            if old is not None and (tensor.dtype, tensor.device) == (old, there):
                continue
            if tensor.dtype != old:
                dtype = _one(made, "cast", op, tensor, where)
            if tensor.device != there:
                device = _one(made, "moved", op, tensor, where)
            hang(tensor, Note(dtype, device))
        return result

    return converted


def _one(
    made: dict[tuple[object, ...], Origin],
    kind: EventKind,
    op: str,
    tensor: torch.Tensor,
    where: Any,
) -> Origin:
    """Return one origin for all parameters that share their story."""
    key = (kind, tensor.dtype, tensor.device)
    if key not in made:
        made[key] = Origin(kind, op, tensor.dtype, tensor.device, where)
    return made[key]


def _members(module: torch.nn.Module) -> Iterable[torch.Tensor]:
    yield from module.parameters()
    yield from module.buffers()


def _load(op: str, original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def loaded(*args: Any, **kwargs: Any) -> Any:
        result = original(*args, **kwargs)
        where = places(sys._getframe(1))
        for tensor in _inside(result, 4):
            origin = Origin("loaded", op, tensor.dtype, tensor.device, where)
            hang(tensor, Note(origin, origin))
        return result

    return loaded


def _inside(tree: Any, depth: int) -> Iterable[torch.Tensor]:
    """Yield the tensors of what a file held: modules, optimizers' states, dicts in dicts."""
    if isinstance(tree, torch.Tensor):
        yield tree
    elif isinstance(tree, torch.nn.Module):
        yield from _members(tree)
    elif isinstance(tree, (dict, list, tuple)) and depth:
        for value in tree.values() if isinstance(tree, dict) else tree:
            yield from _inside(value, depth - 1)


def _registered(module: torch.nn.Module, _: str, tensor: torch.Tensor | None) -> None:
    """Record a parameter or buffer of unknown origin: read from a file by a library, or created in C++."""
    if tensor is None or note(tensor) is not NOTHING:
        return
    op = f"{type(module).__name__}"
    origin = Origin("born", op, tensor.dtype, tensor.device, places(sys._getframe(2)))
    hang(tensor, Note(origin, origin))
