"""The precision of a model that accelerate prepares: alone or in DDP, under FSDP, under DeepSpeed's engine.

    prepared(run, weights, autocast).component("model")

Measured by benchmarks/settings.py on accelerate 1.15.0; the lines are those of its accelerator.py.
"""

from __future__ import annotations

from ..core.frozen import dataclass
from .deciding import on
from .run import FLOAT8, Run
from .sharding import Sharding, sharded
from .systems import deepspeed
from .table import UNKNOWN, Cell, Component, kept, trained

_HALF = ("float16", "bfloat16")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A prepared model's precision; None: it follows from the weights and autocast."""

    weights: Cell
    autocast: Cell
    compute: Cell | None = None
    reduction: Cell | None = None
    states: Cell | None = None
    buffers: Cell | None = None
    outputs: Cell | None = None
    scaling: Cell | None = None
    plain: bool = False
    """True if neither an engine nor FSDP changes the weights."""

    def component(
        self, name: str, *, attention: Cell = UNKNOWN, tf32: Cell = UNKNOWN
    ) -> Component:
        """Return the row of the trained model."""
        own = {key: getattr(self, key) for key in Prepared.__annotations__}
        del own["plain"]
        return trained(name, **own, attention=attention, tf32=tf32)


def prepared(run: Run, weights: Cell, mixed: Cell) -> Prepared:
    """Return the precision of a model with these weights and autocast, as the run's engine or launcher trains it."""
    autocast = _on_device(run, mixed)
    inside = deepspeed.engaged(run, autocast)
    if inside.value not in ("off", "unknown"):
        return _engine(run, weights, inside)
    stage = deepspeed.stage(run)
    if inside.value == "off" and autocast.value == "off" and stage is not None:
        return _uncast(stage, weights, autocast)
    found = sharded(run)
    if inside.value == "off" and found is not None and autocast.value in _HALF:
        return _sharded(found, weights, autocast)
    outputs = Cell(
        value="float32", by=autocast.by, why="accelerate converts outputs to float32"
    )
    return Prepared(
        weights=weights,
        autocast=autocast,
        outputs=outputs if autocast.value in _HALF else None,
        plain=inside.value == "off" and found is None,
    )


def _on_device(run: Run, mixed: Cell) -> Cell:
    """Return the autocast on a device: fp8 uses bfloat16, or float16 without float8 products.

    On a CPU, accelerate creates neither autocast nor a scaler for float16 (564).
    """
    if mixed.value == "float8":
        return _of_float8(run, mixed)
    cpu = next((s for view in run.views if (s := on(view, "use_cpu"))), None)
    if mixed.value == "float16" and (cpu or run.on_device("cpu")):
        return Cell(value="off", by=cpu, why="no float16 autocast on a CPU")
    return mixed


def _of_float8(run: Run, mixed: Cell) -> Cell:
    if run.machine is None:
        return Cell(value="unknown", by=mixed.by, why="fp8 depends on the machine")
    if run.on_device("cuda") and run.lacks(*FLOAT8):
        return Cell(
            value="float16", by=mixed.by, why="no float8 products, accelerate warns"
        )
    return Cell(value="bfloat16", by=mixed.by, why="with float8 products")


def _engine(run: Run, weights: Cell, inside: Cell) -> Prepared:
    """Return the precision in DeepSpeed's engine, which casts parameters but not buffers, without autocast (585)."""
    off = Cell(value="off", by=inside.by, why="DeepSpeed casts the model itself")
    return Prepared(
        weights=inside,
        autocast=off,
        states=Cell(value="float32", by=inside.by, why="DeepSpeed's master weights"),
        buffers=kept(weights),
        scaling=deepspeed.scaled(run.view("deepspeed"), inside),
    )


def _uncast(stage: int, weights: Cell, off: Cell) -> Prepared:
    """Return the precision in an engine without a half dtype: float32 reduction, and master weights from ZeRO-1 on."""
    why = "DeepSpeed, with neither fp16 nor bf16"
    whole = Cell(value="float32", by=weights.by, why=why)
    held = whole if stage == 3 else weights
    scaled = held.value == "float16" and stage in (1, 2)
    return Prepared(
        weights=held,
        autocast=off,
        reduction=whole,
        states=whole if stage else None,
        scaling=Cell(value="dynamic", by=weights.by, why="float16 weights")
        if scaled
        else UNKNOWN
        if held.value == "unknown"
        else None,
    )


def _sharded(found: Sharding, weights: Cell, mixed: Cell) -> Prepared:
    """Return the precision under FSDP: a half-precision policy, and trained weights raised to float32 (1997, 2037)."""
    raised = Cell(
        value="float32", by=found.by, why="accelerate raises trained weights under FSDP"
    )
    second = found.version == 2
    return Prepared(
        weights=raised,
        autocast=Cell(value="off", by=found.by, why="FSDP2's policy casts instead")
        if second
        else mixed,
        compute=mixed,
        reduction=mixed,
        states=raised,
        buffers=kept(weights) if second else mixed,
        outputs=mixed if second else raised,
        scaling=Cell(
            value="dynamic" if mixed.value == "float16" else "off", by=mixed.by
        ),
    )
