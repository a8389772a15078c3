"""The components of a run: a model, or its trained and its frozen part where it has both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .mixing import common

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .model import Held, Model
    from .module_run import ModuleRun
    from .running import Running


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Parameters and buffers that have something in common, and the modules that computed with them.

    `trained` is None where nothing of the run was trained. `path` is where in the model all of it lies; None where it
    is mixed with what it has not.
    """

    name: str
    model: Model
    held: tuple[Held, ...]
    runs: tuple[ModuleRun, ...]
    trained: bool | None
    path: str | None = ""


def parts(running: Running) -> Iterator[Part]:
    """Yield the parts of all models that have parameters, trained ones first."""
    training = any(model.training.gradients for model in running.models)
    found = [
        part
        for model in running.models
        if any(not one.buffer for one in model.held)
        for part in _of(model, running.all(), training=training)
    ]
    yield from sorted(found, key=lambda part: part.trained is False)


def _of(model: Model, runs: Sequence[ModuleRun], *, training: bool) -> Iterator[Part]:
    own = tuple(filter(lambda run: run.model is model, runs))
    trained = {one.path for one in model.held if one.path in model.training.gradients}
    fixed = {one.path for one in model.held if not (one.buffer or one.trainable)}
    frozen = fixed - trained
    if trained and frozen:
        yield _half(model, own, trained, frozen, trained=True)
        yield _half(model, own, frozen, trained, trained=False)
        return
    seen = bool(model.training.gradients) if training else None
    yield Part(name=model.name, model=model, held=model.held, runs=own, trained=seen)


def _half(
    model: Model,
    runs: Sequence[ModuleRun],
    own: set[str],
    other: set[str],
    *,
    trained: bool,
) -> Part:
    """Return one of the two; what belongs to neither, as an activation's module, is the larger one's."""
    weight = {one.path: one.numel for one in model.held}
    larger = sum(map(weight.__getitem__, own)) >= sum(map(weight.__getitem__, other))
    mine, theirs = _reach(own), _reach(other)

    def belongs(path: str) -> bool:
        return _belongs(path, mine, theirs, larger=larger)

    paths = own | {p for p in weight.keys() - other if belongs(_owner(p))}
    path = _path(own, other)
    told = f" ({'trained' if trained else 'frozen'})" if path is None else f".{path}"
    return Part(
        name=model.name + told,
        model=model,
        held=tuple(one for one in model.held if one.path in paths),
        runs=tuple(run for run in runs if belongs(run.path)),
        trained=trained,
        path=path,
    )


def _reach(paths: set[str]) -> tuple[set[str], set[str]]:
    """Return the modules that own these parameters, and those that contain the modules."""
    owners = {_owner(path) for path in paths}
    above: set[str] = set()
    for path in owners:
        parts = path.split(".")
        above.update(".".join(parts[:depth]) for depth in range(len(parts)))
    return owners, above


def _owner(path: str) -> str:
    return path.rpartition(".")[0]


def _belongs(
    module: str,
    mine: tuple[set[str], set[str]],
    theirs: tuple[set[str], set[str]],
    *,
    larger: bool,
) -> bool:
    """Check whether a module is in this part, by its own or its submodules' parameters; else in the larger part."""
    for own, other in zip(mine, theirs, strict=True):
        if (module in own) != (module in other):
            return module in own
    return larger


def _path(own: set[str], other: set[str]) -> str | None:
    """Return the path that only these parameters are below; None if there is none."""
    path = common(sorted(map(_owner, own)))
    below = f"{path}."
    return path if path and not any(one.startswith(below) for one in other) else None
