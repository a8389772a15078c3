"""Ultralytics' `yolo` command: `amp` for training, `half` for prediction, validation and export."""

from __future__ import annotations

from collections.abc import Iterator

from ..run import Run
from ..system import Switch, System, Text
from ..table import Cell, Component, frozen, trained
from ..view import View

_DEFAULTS = "ultralytics/cfg/default.yaml, 8.3"
_MODES = ("train", "val", "predict", "export", "track", "benchmark")
_TASKS = ("detect", "segment", "classify", "pose", "obb")

KEYS = (
    Switch(name="amp", default=True, means="float16 autocast, once a check has passed", source=_DEFAULTS),
    Switch(name="half", means="float16 weights of what is not trained", source=_DEFAULTS),
    Switch(name="int8", source=_DEFAULTS),
    Text(name="device", default=None, source=_DEFAULTS),
    Text(name="format", default="torchscript", source=_DEFAULTS),
    Text(name="mode", default=None, source=_DEFAULTS),
)


def mode(view: View) -> str:
    """What the command does: `yolo export …`, `yolo detect train …`, `yolo mode=val …`."""
    words = [view.text("mode")]
    for document in view.documents:
        words.append(document.name.rpartition(" ")[2])
        words += [str(entry.value) for entry in document.entries if entry.path.startswith("@")]
    return next((word for word in words if word in _MODES), "")


def effective(view: View, run: Run) -> Iterator[Component]:
    """The model that is trained under autocast, or runs in one dtype."""
    if mode(view) == "train":
        on = Cell(value="float16", by=view.given("amp"), why="default of Ultralytics")
        off = Cell(value="off", by=view.given("amp"))
        autocast = on if view.on("amp") else off if view.off("amp") else Cell(value="unknown")
        yield trained("model", weights=Cell(value="float32", why="default of Ultralytics"), autocast=autocast)
        return
    half = view.given("half") if view.on("half") else None
    weights = Cell(value="float16", by=half) if half else Cell(value="float32", why="default of Ultralytics")
    yield frozen("model", weights=weights, autocast=Cell(value="off", why="nothing is trained"))


SYSTEM = System(
    name="ultralytics",
    title="Ultralytics",
    version="8.3",
    source=f"{_DEFAULTS}; ultralytics/engine/exporter.py",
    keys=KEYS,
    others=frozenset("model data epochs imgsz batch source project name workers patience task conf iou".split()),
    programs=("yolo", *(f"yolo {word}" for word in (*_MODES, *_TASKS))),
    effective=effective,
    unknown_key="SyntaxError: … is not a valid YOLO argument",
)
