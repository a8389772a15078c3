"""A model of the program's: a variable's module with all below it, and what its training showed of its precision.

model = Model("unet", unet)
model.look()                # the dtypes of its parameters and buffers, as they are now
model.gradient(weight, torch.float16, accumulated=False)
"""

from __future__ import annotations

import weakref
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch.nn.parameter import is_lazy

from ...vm.provenance.module_members import KINDS, kept, submodules
from .module_run import at, origin_of, size

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...vm.provenance.module_members import Kind
    from ...vm.provenance.origin import Origin, Place

_LOOKS = 16


class Held(NamedTuple):
    """A parameter or buffer as it was seen: `owner` is the class of the module that has it."""

    path: str
    owner: str
    buffer: bool
    dtype: torch.dtype
    numel: int
    trainable: bool
    origin: Origin | None


class State(NamedTuple):
    """An optimizer's state of one parameter, by its name there."""

    key: str
    numel: int
    dtype: torch.dtype
    origin: Origin | None


class Training:
    """Known facts about a model's gradients and optimizer, by the paths of its parameters."""

    def __init__(self) -> None:
        self.gradients: dict[str, torch.dtype] = {}
        self.accumulated: dict[str, torch.dtype] = {}
        self.reduced: Counter[torch.dtype] = Counter()
        self.states: dict[str, tuple[State, ...]] = {}
        self.stepped = False
        self.scaler: tuple[Place | None] | None = None


class Model:
    """One component of the program. It does not keep its modules alive."""

    def __init__(self, name: str, root: torch.nn.Module) -> None:
        self.name = name
        self.kind = type(root).__name__
        self._root = weakref.ref(root)
        self._paths: dict[int, tuple[weakref.ref[torch.nn.Module], str]] = {}
        self._parameters: dict[int, tuple[weakref.ref[torch.Tensor], str]] = {}
        self._looks = 0
        self.calls = 0
        self.held: tuple[Held, ...] = ()
        self.training = Training()
        self.outputs: Counter[tuple[str, torch.dtype]] = Counter()
        self.output_origins: dict[torch.dtype, Origin | None] = {}
        self.place: dict[torch.dtype, Place | None] = {}
        self.index()

    def index(self) -> None:
        """Learn which modules there are, and where."""
        root = self._root()
        if root is not None:
            self._paths = {
                id(one): (weakref.ref(one), path) for path, one in submodules(root)
            }

    def path_of(self, module: torch.nn.Module | None) -> str | None:
        """Return where below its root a module is; None for another's."""
        return _path(self._paths, module)

    def covers(self, other: Model) -> bool:
        """Check whether another model is a part of this one."""
        root = other._root()
        return root is not None and self.path_of(root) is not None

    def begin(self) -> None:
        """Record a call of the model or a part of it; its tensors are looked at less and less often."""
        self.calls += 1
        if not self.calls & (self.calls - 1):
            self.look()

    def look(self) -> None:
        """Record the dtypes of all parameters and buffers; those seen in training are kept, if there were any."""
        root = self._root()
        if root is None or (self.held and self._trained_before()):
            return
        self._parameters = {}
        self.held = tuple(self._seen(root))

    def _trained_before(self) -> bool:
        return bool(self.training.stepped and not torch.is_grad_enabled())

    def _seen(self, root: torch.nn.Module) -> Iterator[Held]:
        tied: set[int] = set()
        for path, module in submodules(root):
            for kind in KINDS:
                for name, tensor in kept(module, kind).items():
                    if tensor is None or id(tensor) in tied or is_lazy(tensor):
                        continue
                    tied.add(id(tensor))
                    where = f"{path}.{name}" if path else name
                    yield self._one(tensor, where, type(module).__name__, kind)

    def _one(self, tensor: torch.Tensor, path: str, owner: str, kind: Kind) -> Held:
        buffer = kind == "_buffers"
        if not buffer:
            self._parameters[id(tensor)] = weakref.ref(tensor), path
        return Held(
            path=path,
            owner=owner,
            buffer=buffer,
            dtype=at(tensor)[0],
            numel=size(tensor),
            trainable=tensor.requires_grad,
            origin=origin_of(tensor),
        )

    def parameter(self, tensor: torch.Tensor) -> str | None:
        """Return the path of a parameter; None for another's."""
        return _path(self._parameters, tensor)

    def found(self, tensor: torch.Tensor) -> str | None:
        """Return the same, looking again: it may have come since. So often only."""
        if self._looks < _LOOKS:
            self._looks += 1
            self.look()
        return self.parameter(tensor)


def _path(known: Mapping[int, tuple[weakref.ref[Any], str]], one: Any) -> str | None:
    """Return the path of an object; None for one that only has the number of one that is gone."""
    seen, path = known.get(id(one), (None, ""))
    return path if seen is not None and seen() is one else None
