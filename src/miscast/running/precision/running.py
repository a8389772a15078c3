"""The modules of a run as they are called, one within the other; hooks that torch has for all modules watch them.

running = Running(Guard(failures))
with running.watching():
    model(x)
running.top()      # within a call: the module at work
"""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch.nn.modules import module as hooked
from torch.nn.modules.module import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
)

from ...vm.provenance import module_paths
from ...vm.provenance.origin import user_frames
from ..torch_abi import graph_task
from .harmless import Guard, harmless
from .model import Model
from .module_run import ModuleRun, dtype_of, origin_of, size, tensors

if TYPE_CHECKING:
    from collections.abc import Iterator


class _Stack(threading.local):
    """The running calls of one thread, each with the backward pass it began in (-1: none)."""

    def __init__(self) -> None:
        self.calls: list[tuple[ModuleRun, int]] = []


class Running:
    """All modules that ran, in the order of their first calls."""

    def __init__(self, guard: Guard) -> None:
        self.guard = guard
        self.models: list[Model] = []
        self.runs: dict[int, ModuleRun] = {}
        self.gone: list[ModuleRun] = []
        # the model that ran last with gradients wanted
        self.trained: Model | None = None
        self._stack = _Stack()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch calls of modules within the block."""
        hooks = (
            register_module_forward_pre_hook(self._begin),
            register_module_forward_hook(self._end, with_kwargs=True, always_call=True),
        )
        try:
            yield
        finally:
            for hook in hooks:
                hook.remove()
            # what torch's own handle leaves behind, and `torch.compile` warns of
            hooked._global_forward_hooks_with_kwargs.pop(hooks[1].id, None)

    def top(self) -> ModuleRun | None:
        """Return the module whose own code runs; not one that only waits for a backward pass."""
        calls = self._stack.calls
        if not calls:
            return None
        run, task = calls[-1]
        return run if graph_task() == task else None

    def all(self) -> list[ModuleRun]:
        """Return the runs of all modules, including deleted ones."""
        return [*self.gone, *self.runs.values()]

    @harmless
    def _begin(self, module: torch.nn.Module, _args: Any) -> None:
        calls = self._stack.calls
        run = self.runs.get(id(module))
        if run is None or run.module() is not module:
            run = self._met(module, calls[-1][0] if calls else None)
        task = graph_task()
        if not calls:
            run.model.begin()
        if self.trained is not run.model and task == -1 and torch.is_grad_enabled():
            self.trained = run.model
        run.begin(module)
        calls.append((run, task))

    @harmless
    def _end(self, module: torch.nn.Module, args: Any, *rest: Any) -> None:
        """End a module's call; `rest` is its keyword arguments and its output, absent after an exception."""
        calls = self._stack.calls
        while calls:
            run, _ = calls.pop()
            if run.module() is module:
                break
        else:
            return
        if len(rest) < 2:
            return
        kwargs, out = rest
        run.end((args, kwargs), out)
        if not calls:
            _out(run.model, out)

    def _met(self, module: torch.nn.Module, caller: ModuleRun | None) -> ModuleRun:
        """Return a module is called for the first time."""
        before = self.runs.pop(id(module), None)
        if before is not None:
            self.gone.append(before)
        model, path = self._place(module, caller)
        run = self.runs[id(module)] = ModuleRun(module, model, path)
        return run

    def _place(
        self, module: torch.nn.Module, caller: ModuleRun | None
    ) -> tuple[Model, str]:
        """Return the model that contains a module, and the path to it."""
        for model in self.models:
            path = model.path_of(module)
            if path is not None:
                return model, path
        frame = sys._getframe(1)
        frames = user_frames(frame)
        try:
            if caller is None:
                return self._new(*module_paths.root_of(frames, module), module)
            caller.model.index()  # it may have come since
            path = caller.model.path_of(module)
            if path is None:  # called by one that has not registered it
                path = (module_paths.path(frame) or "").removeprefix(
                    f"{caller.model.name}."
                )
            return caller.model, path
        finally:
            module_paths.let_go(frames)

    def _new(
        self, name: str, root: torch.nn.Module, module: torch.nn.Module
    ) -> tuple[Model, str]:
        """Return a model that has not run before; one that is a part of it, as of a wrapper, becomes it."""
        new = Model(name, root)
        parts = [model for model in self.models if new.covers(model)]
        for part in parts:
            new.training = part.training
            self.models.remove(part)
        if name in {model.name for model in self.models}:
            new.name = f"{name} ({new.kind})"
        for run in self.all():
            if run.model in parts:
                run.model = new
                run.path = new.path_of(run.module()) or run.path
        self.models.append(new)
        return new, new.path_of(module) or ""


def _out(model: Model, out: Any) -> None:
    """Record a model's outputs, by their keys."""
    named = dict.items(out) if isinstance(out, dict) else [("", out)]
    for key, part in list(named):
        for tensor in tensors(part):
            dtype = dtype_of(tensor)
            model.outputs[str(key), dtype] += size(tensor)
            model.output_origins.setdefault(dtype, origin_of(tensor))
