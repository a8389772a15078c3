"""Track the user's line, the running module, the optimizer's step, and the limits of watching."""

from __future__ import annotations

import fnmatch
import sys
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import torch
from torch.nn.modules.module import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
)
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from ...core.event import Location
from ...running.torch_abi import graph_task
from ...vm.provenance import module_paths
from ...vm.provenance.origin import (
    TORCH,
    asks_for,
    kind_of,
    locate,
    places,
    program_frames,
)
from .site import Site

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from ...core.event import Operand, Phase
    from ...vm.provenance.origin import Place

_SPELLED = {
    "_to_copy": "to",
    "__lshift__": "<<",
    "__rshift__": ">>",
    "__and__": "&",
    "__or__": "|",
    "__xor__": "^",
}
_KERNEL, _FUNCTIONS = "_forward", torch.nn.functional.__name__
_NOWHERE = Location(file="", line=0)


class Watch:
    """The current place, cheap to query while it does not change.

    `steps`: how many steps of optimizers are looked at (0: all). `modules`: only what runs in modules whose path one
    of these patterns matches.
    """

    def __init__(
        self,
        *,
        steps: int = 0,
        modules: tuple[str, ...] = (),
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self.steps = 0
        self.sites: dict[object, Site] = {}
        self.optimizer: Any = None
        self.left: Callable[[str, Any], None] = lambda _path, _output: None
        self._most = steps
        self._patterns = modules
        self._progress = progress
        self._running: list[tuple[Any, bool]] = []
        self._paths: WeakKeyDictionary[Any, str] = WeakKeyDictionary()
        self._roots: WeakKeyDictionary[Any, str] = WeakKeyDictionary()
        self._made: WeakKeyDictionary[Any, Place | None] = WeakKeyDictionary()
        self._ops = 0

    @property
    def looks(self) -> bool:
        """True if the op that runs now is followed."""
        if self._most and self.steps >= self._most:
            return False
        return (
            not self._patterns
            or self.optimizer is not None
            or any(wanted for _, wanted in self._running)
        )

    @property
    def phase(self) -> Phase:
        """The phase that the program is in."""
        if graph_task() != -1:
            return "backward"
        if self.optimizer is not None:
            return "optimizer"
        return "forward" if self._running else "program"

    def site(
        self,
        frame: FrameType,
        op: str,
        dtype: torch.dtype,
        met: Callable[[], tuple[Operand, ...]],
    ) -> Site:
        """Return the place of an op that runs now; `met` tells at its first call which tensors it met."""
        user, library = places(frame)
        phase = self.phase
        key = (user, op, dtype, phase)
        found = self.sites.get(key)
        if found is None:
            module = module_paths.path(frame) if phase == "forward" else None
            found = self.sites[key] = Site(
                op=_called(op, frame), dtype=dtype, place=user, location=locate(user, module) or _NOWHERE, phase=phase,
                function=(library or user or (None,))[0],
                library=library, owner=self.optimizer and self._made.get(self.optimizer), met=met(),
                callers=tuple((one.f_code, one.f_lasti) for one in program_frames(frame)[1:]),
            )  # fmt: skip
        if self._running:
            found.modules.add(id(self._running[-1][0]))
        self._tell()
        return found

    def trains(self, leaf: torch.Tensor) -> bool:
        """Check whether it is a weight in training, not a copy of one that merely could be."""
        return self.optimizer is not None or leaf.grad is not None

    @contextmanager
    def on(self) -> Iterator[None]:
        """Watch modules and optimizers within the block."""
        with ExitStack() as stack:
            for handle in (
                register_module_forward_pre_hook(self._enter),
                register_module_forward_hook(self._leave, always_call=True),
                register_optimizer_step_pre_hook(self._step_begins),
                register_optimizer_step_post_hook(self._step_ends),
            ):
                stack.callback(handle.remove)
            stack.enter_context(self._optimizers())
            yield

    @contextmanager
    def _optimizers(self) -> Iterator[None]:
        """Record the line that creates each optimizer within the block."""
        plain = torch.optim.Optimizer.__init__

        def init(optimizer: Any, *args: Any, **kwargs: Any) -> None:
            plain(optimizer, *args, **kwargs)
            self._made[optimizer] = places(asks_for(optimizer, sys._getframe(1)))[0]

        torch.optim.Optimizer.__init__ = init  # type: ignore[assignment, method-assign]
        try:
            yield
        finally:
            torch.optim.Optimizer.__init__ = plain  # type: ignore[method-assign]

    def roots(self) -> list[tuple[str, Any]]:
        """Return the modules that the program itself has called, with their paths."""
        return [(path, module) for module, path in self._roots.items()]

    def _enter(self, module: Any, _args: Any) -> None:
        if not self._running and module not in self._roots:
            self._roots[module] = self.path(module)
        wanted = bool(self._patterns) and any(
            fnmatch.fnmatch(self.path(module), pattern) for pattern in self._patterns
        )
        self._running.append((module, wanted))

    def _leave(self, module: Any, _args: Any, output: Any) -> None:
        # a module that raised may have left the ones that it called on the list
        while self._running:
            last, _ = self._running.pop()
            if last is module:
                break
        if output is not None and self.looks:
            self.left(self.path(module), output)

    def path(self, module: Any) -> str:
        """Return the path of a module that runs."""
        found = self._paths.get(module)
        if found is None:
            found = self._paths[module] = (
                module_paths.path(sys._getframe(1)) or type(module).__name__
            )
        return found

    def _step_begins(self, optimizer: Any, _args: Any, _kwargs: Any) -> None:
        self.optimizer = optimizer

    def _step_ends(self, _optimizer: Any, _args: Any, _kwargs: Any) -> None:
        self.optimizer = None
        self.steps += 1

    def _tell(self) -> None:
        self._ops += 1
        if self._progress is not None and self._ops % 500 == 0:
            self._progress(self._ops, self.steps)


def _called(op: str, frame: FrameType) -> str:
    """Return an op's name as people know it; of the kernel of a loss, that of torch's function."""
    outer: FrameType | None = frame if op.endswith(_KERNEL) else None
    while outer is not None and kind_of(outer.f_code) == TORCH:
        if outer.f_globals.get("__name__") == _FUNCTIONS:
            return outer.f_code.co_name
        outer = outer.f_back
    return _SPELLED.get(op, op.removeprefix("_").removeprefix("native_"))
