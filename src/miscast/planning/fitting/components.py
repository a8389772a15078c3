"""The models of a program, found as they are first called, and each put in the precision of a candidate then.

with Components(candidate).on() as components:
    ...                                  # the program
components.found                         # {"unet": Component(…), "vae": Component(…)}

A component has the name of the variable, or attribute, that holds it in the program, as in the table of precision.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import torch
from torch import nn

from ...core.failure import spelled
from ...policy import Policy, PolicyError, apply
from ...policy.kept import adapters
from ...running.process.patching import Patch, applied
from ...vm.provenance.module_paths import root_of
from ...vm.provenance.origin import user_frames
from . import attention, checkpointing, sharding
from .autocast_off import without_autocast
from .candidate import Candidate
from .optimizers import eight_bit, on_host
from .stepping import stepping


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """One of the program's models. `trained`: some of its parameters are; `numbers` are those of its parameters.

    `updated` are the numbers that are trained; `adapters`: some of these are peft's, which no policy converts.
    `checkpoints` is "on", "can", or "" where it has no switch; `attends`: what a model of transformers attends with.
    `passes`: gradients go through it. `wrapped`: what the program itself has put around it for several ranks. `refused`
    says why a candidate could not be put on it.
    """

    name: str
    kind: str
    trained: bool
    numbers: int
    updated: int
    dtype: str
    checkpoints: str
    attends: str = ""
    adapters: bool = False
    passes: bool = False
    wrapped: str = ""
    refused: str = ""


class Components:
    """A run's named modules."""

    def __init__(
        self,
        candidate: Candidate,
        changed: Callable[[], None] = lambda: None,
        exchanged: Callable[[Any, int], None] = lambda _tensor, _size: None,
    ) -> None:
        """Take callbacks: `changed` after a named module is converted, `exchanged` for transfers between ranks."""
        self.found: dict[str, Component] = {}
        self._candidate = candidate
        self._changed, self._exchanged = changed, exchanged
        self._stack = ExitStack()
        self._sharding = False
        self._known: WeakSet[nn.Module] = WeakSet()
        self._entered: WeakKeyDictionary[nn.Module, str] = WeakKeyDictionary()
        self._passed: set[str] = set()

    def shown(self) -> list[dict[str, Any]]:
        """Return what was found, as JSON has it."""
        passed = self._passed
        return [
            asdict(replace(one, passes=one.trained or one.name in passed))
            for one in self.found.values()
        ]

    @contextmanager
    def on(self) -> Iterator[Components]:
        """Prepare each model before its first call within the block."""
        original, known, met = nn.Module.__call__, self._known, self._met
        entered = self._entered

        def call(module: nn.Module, *args: Any, **kwargs: Any) -> Any:
            if module not in known:
                met(module)
            out = original(module, *args, **kwargs)
            if module in entered and _has_gradient(out):
                self._passed.add(entered[module])
            return out

        with ExitStack() as stack:
            stack.callback(self.unshard)
            if not self._candidate.as_it_is:
                stack.enter_context(without_autocast())
            if self._candidate.states:
                stack.enter_context(stepping(eight_bit(self._candidate.states)))
            if self._candidate.host == "optimizer":
                stack.enter_context(stepping(on_host))
            stack.enter_context(applied([Patch(nn.Module, "__call__", call)]))
            yield self

    def unshard(self) -> None:
        """Stop recording transfers between ranks."""
        self._stack.close()
        self._sharding = False

    def _met(self, module: nn.Module) -> None:
        path, root = root_of(user_frames(sys._getframe(2)), module)
        news = [one for one in root.modules() if one not in self._known]
        self._known.update((module, *news))
        parameters = [p for p in root.parameters() if p.is_floating_point()]
        if not parameters:
            return
        trained = [p for p in parameters if p.requires_grad]
        name = self._named(path)
        self._entered[root] = self._entered[module] = name
        switch, attends = checkpointing.state(root), attention.state(root)
        wrapped = sharding.own_wrapping(root)
        refused = ""
        if not self._candidate.as_it_is:
            refused = self._put(name, root)
            self._changed()
        self.found[name] = Component(
            name=name,
            kind=type(root).__name__,
            trained=bool(trained),
            numbers=sum(map(torch.Tensor.numel, parameters)),
            updated=sum(map(torch.Tensor.numel, trained)),
            dtype=str(parameters[0].dtype)[6:],
            checkpoints=switch,
            attends=attends,
            adapters=any(map(adapters, root.modules())),
            wrapped=wrapped,
            refused=refused,
        )

    def _named(self, path: str) -> str:
        """Return the last of its names, if no other has it."""
        plain = re.sub(r"\W+", "_", path.rpartition(".")[2]).strip("_") or "model"
        number, name = 1, plain
        while name in self.found:
            number += 1
            name = f"{plain}_{number}"
        return name

    def _put(self, name: str, root: nn.Module) -> str:
        trained = any(p.requires_grad for p in root.parameters())
        if self._candidate.checkpointing and trained:
            checkpointing.switch_on(root)
        if self._candidate.attention:
            attention.switch(root)
        try:
            with torch.no_grad():
                apply({name: root}, Policy.parse(self._candidate.of(name)))
        except PolicyError as error:
            return str(error)
        return self._sharded(name, root) if trained else ""

    def _sharded(self, name: str, root: nn.Module) -> str:
        candidate = self._candidate
        host = candidate.host == "weights"
        if candidate.ranks == 1 and not host:
            return ""
        policy = Policy.parse(candidate.of(name))
        mixed = policy.compute_dtype != policy.param_dtype
        half = getattr(torch, str(policy.compute_dtype)) if mixed else None
        if not self._sharding:
            self._stack.enter_context(sharding.exchanged(self._exchanged))
            self._sharding = True
        try:
            sharding.shard(root, candidate.ranks, half=half, host=host)
        except (RuntimeError, ValueError, AssertionError, NotImplementedError) as error:
            return f"fully_shard: {spelled(error)}"
        return ""


def _has_gradient(out: Any) -> bool:
    """Check whether some tensor of a model's output is one that gradients come back by."""
    if isinstance(out, torch.Tensor):
        return out.requires_grad
    if isinstance(out, Mapping):
        return any(map(_has_gradient, out.values()))
    return isinstance(out, (tuple, list)) and any(map(_has_gradient, out))
