"""The table of effective precision: the dtypes of each component, and the settings that decided them.

unet   parameters float32 ← accelerate.yaml:3:18 mixed_precision
"""

from __future__ import annotations

from ..core.frozen import dataclass, replace
from .setting import Unknown, Value, named_dtype
from .system import Setting


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A value, and the setting or reason that decided it ("default of accelerate 1.15.0")."""

    value: str
    by: Setting | None = None
    why: str = ""


UNKNOWN = Cell(value="unknown", why="decided in code")


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """One component of the model, and its precision in each respect."""

    name: str
    parameters: Cell = UNKNOWN
    compute: Cell = UNKNOWN
    gradients: Cell = UNKNOWN
    accumulation: Cell = UNKNOWN
    reduction: Cell = UNKNOWN
    optimizer_states: Cell = UNKNOWN
    buffers: Cell = UNKNOWN
    outputs: Cell = UNKNOWN
    autocast: Cell = UNKNOWN
    loss_scaling: Cell = UNKNOWN
    attention: Cell = UNKNOWN
    tf32: Cell = UNKNOWN

    def cells(self) -> tuple[tuple[str, Cell], ...]:
        """Return each respect with its cell: ("optimizer states", Cell(…))."""
        return tuple(
            (name.replace("_", " "), getattr(self, name))
            for name in Component.__annotations__
            if name != "name"
        )


def dtype(value: Value) -> str:
    """Return the canonical name of a setting's dtype; other words unchanged."""
    if isinstance(value, Unknown) or value is None:
        return "unknown"
    words = {"no": "off", "False": "off", "fp8": "float8"}
    return named_dtype(value) or words.get(str(value), str(value))


def trained(  # noqa: PLR0913 - the parts of a row
    name: str,
    *,
    weights: Cell,
    autocast: Cell,
    compute: Cell | None = None,
    gradients: Cell | None = None,
    reduction: Cell | None = None,
    states: Cell | None = None,
    buffers: Cell | None = None,
    outputs: Cell | None = None,
    attention: Cell = UNKNOWN,
    tf32: Cell = UNKNOWN,
    scaling: Cell | None = None,
) -> Component:
    """Return a component that torch trains; by default, each dtype follows from the weights and autocast.

    Gradients have their parameter's dtype, accumulation and DDP's reduction the gradient's, Adam's states the
    parameter's; under autocast matrix products run in its dtype.
    """
    result = _result(weights, autocast)
    own = Cell(value=weights.value, by=weights.by, why="same as the parameters")
    grads = gradients or own
    summed = Cell(value=grads.value, by=grads.by, why="same as the gradients")
    return Component(
        name=name,
        parameters=weights,
        compute=compute or result,
        gradients=grads,
        accumulation=summed,
        reduction=reduction or summed,
        optimizer_states=states or own,
        buffers=buffers or kept(weights),
        outputs=outputs or result,
        autocast=autocast,
        loss_scaling=scaling or _scaling(autocast),
        attention=attention,
        tf32=tf32,
    )


def frozen(  # noqa: PLR0913 - the parts of a row
    name: str,
    *,
    weights: Cell,
    autocast: Cell,
    compute: Cell | None = None,
    outputs: Cell | None = None,
    tf32: Cell = UNKNOWN,
    attention: Cell = UNKNOWN,
) -> Component:
    """Return a component that is not trained: no gradients, no optimizer."""
    none = Cell(value="none", why="not trained")
    return replace(
        trained(
            name,
            weights=weights,
            autocast=autocast,
            compute=compute,
            outputs=outputs,
            attention=attention,
            tf32=tf32,
        ),
        gradients=none,
        accumulation=none,
        reduction=none,
        optimizer_states=none,
        loss_scaling=none,
    )


def _result(weights: Cell, autocast: Cell) -> Cell:
    """Return the dtype of matrix products: autocast's, else the weights'."""
    return {"off": weights, "unknown": UNKNOWN}.get(autocast.value, autocast)


def kept(weights: Cell) -> Cell:
    """Return the dtype of buffers; unknown with half-precision weights, as rotary frequencies stay float32."""
    if weights.value != "float32":
        return Cell(value="unknown", why="the model's code decides")
    return Cell(value="float32", by=weights.by, why="same as the parameters")


def _scaling(autocast: Cell) -> Cell:
    if autocast.value == "unknown":
        return UNKNOWN
    value = "dynamic" if autocast.value == "float16" else "off"
    return Cell(
        value=value, by=autocast.by, why="only float16 autocast uses a grad scaler"
    )
