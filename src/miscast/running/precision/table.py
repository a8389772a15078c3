"""The table of effective precision of a run: per component what was seen of it, in the respects that `lint` predicts.

unet   parameters   float16   train.py:41  unet.half()
unet   compute      float16   train.py:41  unet.half()
unet   autocast     off

What was not seen has no row: without a backward pass there are no gradients, without a step no optimizer's states.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ...core.event import Precision
from ...vm.provenance.origin import locate
from .component import parts
from .mixing import Share, counted, mixed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import torch

    from ...core.event import Location
    from ...vm.provenance.origin import Origin
    from .component import Part
    from .module_run import ModuleRun, Product
    from .observed import Observed

Deciders = dict[str, "Location | None"]
_OWN_SCALING = ("deepspeed", "megatron", "apex", "colossalai")
"""Libraries that scale losses without torch's GradScaler."""


def table(observed: Observed) -> tuple[Precision, ...]:
    """Return all that was seen."""
    return tuple(row for part in parts(observed.running) for row in _Rows(part).told())


class _Rows:
    """The rows of one component."""

    def __init__(self, part: Part) -> None:
        self.part, self.training = part, part.model.training
        self.products = [
            (product, count, run)
            for run in part.runs
            for product, count in run.products.items()
        ]
        weights = [one for one in part.held if not one.buffer]
        self.weights = _first((name(one.dtype), one.origin) for one in weights)
        self.regions: Deciders = {}
        for product, _, _ in self.products:
            if product.region is not None:
                region = product.region
                self.regions.setdefault(name(region.dtype), locate(region.place))

    def told(self) -> Iterator[Precision]:
        """Yield each respect that was seen, in the order of the table."""
        yield from self._row("parameters", self._held(buffer=False), self.weights)
        computing = self.weights | self.regions
        yield from self._row("compute", self._computed(), computing)
        if self.part.trained:
            yield from self._trained()
        elif self.part.trained is False:
            for aspect in ("gradients", "optimizer_states"):
                yield self._one(aspect, "none")
        buffers = [one for one in self.part.held if one.buffer]
        born = _first((name(one.dtype), one.origin) for one in buffers)
        yield from self._row("buffers", self._held(buffer=True), born)
        outputs, made = self._outputs()
        yield from self._row("outputs", outputs, made | computing)
        yield from self._modes()

    def _trained(self) -> Iterator[Precision]:
        training = self.training
        for aspect, seen in (
            ("gradients", training.gradients),
            ("accumulation", training.accumulated),
        ):
            yield from self._row(aspect, self._by_path(seen), self.weights)
        reduced = [
            Share(name(dtype), count, count=count)
            for dtype, count in training.reduced.items()
        ]
        yield from self._row("reduction", reduced, self.weights)
        yield from self._states()
        if training.scaler is not None:
            yield self._one("loss_scaling", "dynamic", locate(training.scaler[0]))
        elif training.stepped and not sys.modules.keys() & set(_OWN_SCALING):
            yield self._one("loss_scaling", "off")

    def _modes(self) -> Iterator[Precision]:
        """Yield the rows of what is on and off."""
        regions = [
            Share(_region(product), count, run.path, run.kind, count)
            for product, count, run in self.products
        ]
        yield from self._row("autocast", regions, self.regions)
        kernels = [
            Share(kernel, count, run.path, run.kind, count)
            for run in self.part.runs
            for kernel, count in _kernels(run)
        ]
        yield from self._row("attention", kernels, {})
        switches = {
            p.kind: "on" if p.tf32 else "off"
            for p, _, _ in self.products
            if p.tf32 is not None
        }
        if switches:
            yield self._one("tf32", _switched(switches))

    def _row(
        self, aspect: str, shares: Sequence[Share], deciders: Deciders
    ) -> Iterator[Precision]:
        if shares:
            told = mixed(shares)
            decider = deciders.get(told.partition(",")[0])
            yield self._one(aspect, told, decider, counted(shares))

    def _one(
        self,
        aspect: str,
        value: str,
        decided_by: Location | None = None,
        counts: Mapping[str, int] | None = None,
    ) -> Precision:
        return Precision(
            component=self.part.name,
            aspect=aspect,
            dtype=value,
            decided_by=decided_by,
            counts=counts or {},
        )

    def _held(self, *, buffer: bool) -> list[Share]:
        """Return the parameters or floating buffers; counters and indices have no precision."""
        return [
            Share(name(one.dtype), one.numel, one.path, one.owner)
            for one in self.part.held
            if one.buffer == buffer and (one.dtype.is_floating_point or not buffer)
        ]

    def _computed(self) -> list[Share]:
        """Return the matrix products; for a part without any, the dtypes of its other ops."""
        products = [
            Share(name(product.at[0]), count, run.path, run.kind, count)
            for product, count, run in self.products
        ]
        return products or [
            Share(name(at[0]), count, run.path, run.kind, count)
            for run in self.part.runs
            for at, count in run.others.items()
        ]

    def _by_path(self, seen: Mapping[str, torch.dtype]) -> list[Share]:
        """Return what was seen of this part's parameters; flat ones without a path belong to the model."""
        held = {one.path: one for one in self.part.held}
        shares = []
        for path, dtype in seen.items():
            if path in held:
                shares.append(
                    Share(name(dtype), held[path].numel, path, held[path].owner)
                )
            elif self.part.path == "" and path.startswith("?"):
                shares.append(Share(name(dtype), 1, "", ""))
        return shares

    def _states(self) -> Iterator[Precision]:
        held = {one.path: one for one in self.part.held}
        states = [
            (one, held[path])
            for path, states in self.training.states.items()
            if path in held
            for one in states
        ]
        # masters beside moments: told by the name of the state, else by whose it is
        per_key: dict[str, set[torch.dtype]] = {}
        for one, _ in states:
            per_key.setdefault(one.key, set()).add(one.dtype)
        by_key = all(len(dtypes) == 1 for dtypes in per_key.values())
        shares = []
        for one, of in states:
            told = (one.key, "") if by_key else (of.path, of.owner)
            shares.append(Share(name(one.dtype), one.numel, *told))
        made = _first((name(one.dtype), one.origin) for one, _ in states)
        yield from self._row("optimizer_states", shares, made | self.weights)

    def _outputs(self) -> tuple[list[Share], Deciders]:
        model, path = self.part.model, self.part.path
        ran = {run.path for run in self.part.runs}
        if path == "" or (path is None and "" in ran):
            named = ((d, numel, key) for (key, d), numel in model.outputs.items())
            origins = model.output_origins.items()
            return _floating(named), _first((name(d), o) for d, o in origins)
        return _floating(
            (dtype, count, "")
            for run in self.part.runs
            if run.path == path
            for (dtype, _), count in run.outputs.items()
        ), {}


def _floating(outputs: Iterable[tuple[torch.dtype, int, str]]) -> list[Share]:
    """Return the shares of floating outputs, each with its dtype, its size and its key."""
    return [Share(name(d), n, key) for d, n, key in outputs if d.is_floating_point]


def name(dtype: torch.dtype) -> str:
    """Return the canonical name: "float16"."""
    return str(dtype)[6:]


def _first(origins: Iterable[tuple[str, Origin | None]]) -> Deciders:
    """Return the origin of each dtype, from the first that has it."""
    found: dict[str, Origin | None] = {}
    for dtype, origin in origins:
        if found.get(dtype) is None:
            found[dtype] = origin
    return {d: locate(o.user) if o is not None else None for d, o in found.items()}


def _region(product: Product) -> str:
    return "off" if product.region is None else name(product.region.dtype)


def _kernels(run: ModuleRun) -> Iterator[tuple[str, int]]:
    """Yield attention kernels; two batched products around a softmax are written-out attention."""
    yield from run.kernels.items()
    if run.softmaxes and run.batched >= 2 * run.softmaxes:
        yield "eager", run.softmaxes


def _switched(by_kind: Mapping[str, str]) -> str:
    """Return the switch of matrix products; convolutions have their own."""
    products = by_kind.get("matmul", by_kind.get("conv", "off"))
    convolutions = by_kind.get("conv", products)
    if convolutions == products:
        return products
    return f"{products}, convolutions {convolutions}"
