"""The modules of a run as they ran, in the order of the program, folded where nothing changes.

unet                   UNet2DConditionModel
  time_embedding       TimestepEmbedding
  down_blocks.0-2      CrossAttnDownBlock2D

Modules below one that ran like it are not told; neighbours that ran alike are one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ...core.dtypes import facts, is_floating_point
from ...core.event import Placed, Stage
from .table import name

if TYPE_CHECKING:
    from .module_run import At, ModuleRun
    from .observed import Observed

Alike = tuple[tuple[Placed, ...], ...]


@dataclass(slots=True, kw_only=True)
class _Node:
    """A module with those below it."""

    path: str
    kind: str = ""
    run: ModuleRun | None = None
    below: dict[str, _Node] = field(default_factory=dict)


def tree(observed: Observed) -> tuple[Stage, ...]:
    """Return all models of the run, each from its root."""
    found: list[Stage] = []
    for model in observed.running.models:
        root = _Node(path=model.name, kind=model.kind)
        for run in observed.running.all():
            if run.model is model:
                _put(root, run)
        found += _stages(root, 0)[1]
    return tuple(found)


def _put(root: _Node, run: ModuleRun) -> None:
    node = root
    for part in filter(None, run.path.split(".")):
        node = node.below.setdefault(part, _Node(path=part))
    node.run, node.kind = run, run.kind


_HELD, _PASSED = ("parameters", "products", "others"), ("inputs", "outputs")


@dataclass(slots=True, kw_only=True)
class _Seen:
    """Counts of what a module and its children used, by attribute of a module's run."""

    used: dict[str, Counter[Placed]] = field(
        default_factory=lambda: {cell: Counter() for cell in _HELD + _PASSED}
    )
    modules: int = 0
    calls: int = 0

    def add(self, other: _Seen, *, called: bool) -> None:
        """Add what a child used, and its calls if it was called instead of the module."""
        for cell in _HELD + _PASSED * called:
            self.used[cell].update(other.used[cell])
        self.modules += other.modules
        self.calls = max(self.calls, other.calls * called)


def _stages(node: _Node, depth: int) -> tuple[_Seen, list[Stage]]:
    """Return the stages of a module: itself, then its contents if these ran differently."""
    below = [_stages(child, depth + 1) for child in node.below.values()]
    seen, inner = _own(node.run), []
    for other, lines in below:
        # a module that was never called itself has the calls of what is in it
        seen.add(other, called=node.run is None)
        inner += lines
    stage = _stage(node, seen, depth)
    seen.modules += node.run is not None
    if all(_like(one, stage) for one in inner):
        return seen, [stage]
    told = list(_folded(inner, depth + 1))
    if node.run is None and depth and sum(one.depth == depth + 1 for one in told) == 1:
        return seen, _raised(node.path, told)
    return seen, [replace(stage, modules=0), *told]


def _raised(container: str, stages: Sequence[Stage]) -> list[Stage]:
    """Return the only module of a container that was never called itself, in its place: "layers.0-39"."""
    first, *rest = [replace(one, depth=one.depth - 1) for one in stages]
    return [replace(first, path=f"{container}.{first.path}"), *rest]


def _own(run: ModuleRun | None) -> _Seen:
    if run is None:
        return _Seen()
    seen = _Seen(calls=run.calls)
    for cell, used in seen.used.items():
        for one, count in getattr(run, cell).items():
            used[_placed(one.at if cell == "products" else one)] += count
    return seen


def _placed(at: At) -> Placed:
    dtype, device = at
    return Placed(dtype=name(dtype), device=str(device) if device is not None else "")


def _stage(node: _Node, seen: _Seen, depth: int) -> Stage:
    used = seen.used
    return Stage(
        path=node.path,
        kind=node.kind,
        depth=depth,
        modules=seen.modules,
        calls=seen.calls,
        parameters=_most(used["parameters"]),
        inputs=_most(_floating(used["inputs"])),
        compute=_most(used["products"]) or _widest(used["others"]),
        outputs=_most(_floating(used["outputs"])),
    )


def _most(seen: Counter[Placed]) -> tuple[Placed, ...]:
    return tuple(placed for placed, _ in seen.most_common())


def _floating(seen: Counter[Placed]) -> Counter[Placed]:
    """Return the floating dtypes; indices and masks next to numbers say nothing of precision."""
    numbers = {p: n for p, n in seen.items() if is_floating_point(p.dtype)}
    return Counter(numbers) or seen


def _widest(seen: Counter[Placed]) -> tuple[Placed, ...]:
    bits = max((facts(placed.dtype).bits for placed in seen), default=0)
    return tuple(p for p in _most(seen) if facts(p.dtype).bits == bits)


def _like(one: Stage, other: Stage) -> bool:
    """Check whether a module ran like the one that it is in: what it did not show is no difference."""
    return all(
        not own or own == outer
        for own, outer in zip(_alike(one), _alike(other), strict=True)
    )


def _alike(stage: Stage) -> Alike:
    return stage.parameters, stage.inputs, stage.compute, stage.outputs


def _folded(stages: Sequence[Stage], depth: int) -> Iterator[Stage]:
    """Yield neighbours that ran alike, with all stages below them, as one: "layers.0-39"."""
    blocks: list[list[Stage]] = []
    for stage in stages:
        if stage.depth == depth:
            blocks.append([stage])
        else:
            blocks[-1].append(stage)
    merged: list[list[Stage]] = []
    for block in blocks:
        before = merged[-1] if merged else None
        if before is not None and _same(before, block):
            before[0] = _joined(before[0], block[0])
        else:
            merged.append(block)
    for block in merged:
        yield from block


def _same(before: Sequence[Stage], block: Sequence[Stage]) -> bool:
    """Check whether two modules are the next of each other in a list, and ran alike throughout."""
    first, second = before[0], block[0]
    follows = _number(second.path) == _number(first.path) + 1 > 0
    stem = _stem(first.path) == _stem(second.path)
    return (
        follows
        and stem
        and len(before) == len(block)
        and all(
            a.kind == b.kind
            and a.modules == b.modules
            and _alike(a) == _alike(b)
            and (a.path == b.path or a is first)
            for a, b in zip(before, block, strict=True)
        )
    )


def _stem(path: str) -> str:
    return path.rpartition(".")[0]


def _number(path: str) -> int:
    """Return the last number of "0-3"; -2 if it is not a number."""
    last = path.rpartition(".")[2].rpartition("-")[2]
    return int(last) if last.isdecimal() else -2


def _joined(first: Stage, second: Stage) -> Stage:
    start = first.path.rpartition("-")[0] or first.path
    number = second.path.rpartition(".")[2]
    return replace(first, path=f"{start}-{number}", alike=first.alike + 1)
