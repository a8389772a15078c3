"""MMEngine's configurations in Python, literals only (XTuner before 1.0, OpenMMLab): `optim_wrapper`."""

from __future__ import annotations

from collections.abc import Iterator

from ..conflict import Conflict
from ..deciding import chosen
from ..run import Run
from ..setting import Unknown
from ..system import Key, System, Text
from ..table import UNKNOWN, Cell, Component, trained
from ..view import View

_WRAPPER = "mmengine/optim/optimizer/amp_optimizer_wrapper.py, 0.10.7"
_DTYPES = ("float16", "bfloat16", "float32", "float64")

KEYS = (
    Text(name="optim_wrapper.type", default="OptimWrapper", source=_WRAPPER),
    Key(name="optim_wrapper.dtype", allowed=(None, *_DTYPES, *(f"torch.{name}" for name in _DTYPES)),
        rejects="AssertionError: dtype should be any of ('float16', 'bfloat16', 'float32', 'float64'), got {value}",
        means="the dtype of autocast; unset: float16", source=_WRAPPER),
    Text(name="optim_wrapper.loss_scale", default="dynamic",
         means="dynamic, a constant float, or a dictionary for the grad scaler", source=_WRAPPER),
)


def effective(view: View, run: Run) -> Iterator[Component]:
    """Yield the model under the wrapper's autocast."""
    kind = view.given("optim_wrapper.type")
    wrapper = view.text("optim_wrapper.type").rpartition(".")[2]
    if wrapper != "ampoptimwrapper":
        plain = Cell(value="off", by=kind, why="OptimWrapper has no autocast")
        yield trained("model", weights=UNKNOWN, autocast=plain if wrapper == "optimwrapper" else UNKNOWN)
        return
    if view.given("optim_wrapper.dtype"):
        autocast = chosen(view, "optim_wrapper.dtype")
    else:
        autocast = Cell(value="float16", by=kind, why="torch's default for autocast on a GPU")
    yield trained("model", weights=UNKNOWN, autocast=autocast, scaling=_scaling(view))


def _scaling(view: View) -> Cell:
    """Return AmpOptimWrapper's loss scaling, with any dtype: a constant, or torch's grad scaler."""
    scale = view.given("optim_wrapper.loss_scale")
    if scale is not None and isinstance(scale.value, float):
        return Cell(value=f"fixed, {scale.value:g}", by=scale)
    return Cell(value="dynamic", by=scale or view.given("optim_wrapper.type"))


SYSTEM = System(
    name="mmengine", title="MMEngine (XTuner, OpenMMLab)", version="0.10.7", source=_WRAPPER, keys=KEYS,
    marks=(("optim_wrapper.type",),), effective=effective,
)


def _no_scaler(view: View, _: Run) -> bool:
    """Check whether AmpOptimWrapper has a loss scale that is no float: `loss_scale=512` is an integer."""
    scale = view.get("optim_wrapper.loss_scale")
    wrapper = view.text("optim_wrapper.type").rpartition(".")[2]
    taken = isinstance(scale, (float, Unknown)) or scale == "dynamic"
    return wrapper == "ampoptimwrapper" and not taken


CONFLICTS = (
    Conflict(
        rule="rejected-value", keys=("optim_wrapper.loss_scale",), when=_no_scaler, says="loss_scale is {0}",
        effect='TypeError: loss_scale must be of type float, dict, or "dynamic", but got {0}',
        help="use 'dynamic', or a float: 512.0", source=f"{_WRAPPER} AmpOptimWrapper.__init__",
    ),
)
