"""Ultralytics' `yolo` command: `amp` for training, `quantize` or `half` for prediction, validation and export."""

from __future__ import annotations

from collections.abc import Iterator

from ..conflict import Conflict
from ..run import Run
from ..system import Key, Setting, Switch, System, Text
from ..table import Cell, Component, frozen, trained
from ..view import View

_DEFAULTS = "ultralytics/cfg/default.yaml, 8.4.190"
_DEPRECATED = "ultralytics/cfg/__init__.py _handle_deprecation, 8.4.190"
_MODES = ("train", "val", "predict", "export", "track", "benchmark")
_TASKS = ("detect", "segment", "semantic", "depth", "classify", "pose", "obb")
_AMP = {"true": "float16", "fp16": "float16", "bf16": "bfloat16", "false": "off", "fp32": "off"}
_SCHEMES = ("8", "16", "32", "int8", "fp16", "fp32", "w8a8", "w16a16", "w32a32", "w8a16", "w8a32")
_FLOAT16 = ("16", "fp16", "w16a16")

KEYS = (
    Switch(name="amp", allowed=(True, False, "fp16", "bf16", "fp32"), default=True, caseless=("command",),
           rejects="ValueError: 'amp={value}' is invalid. Valid 'amp' values are True, False, 'fp16', 'bf16', or "
           "'fp32'.",
           means="autocast; True is float16, if a check passes", source=_DEFAULTS),
    Key(name="quantize", allowed=(*_SCHEMES, "none"), default=None, caseless=("command",),
        rejects="ValueError: 'quantize={value}' is invalid. Valid 'quantize' values are 8, 16, 32, 'int8', 'fp16', …",
        means="16: float16 weights, outside training", source="ultralytics/cfg/__init__.py check_cfg, 8.4.190"),
    Switch(name="half", means="deprecated: quantize=16", source=_DEPRECATED),
    Switch(name="int8", means="deprecated: quantize=8, which overrides half", source=_DEPRECATED),
    Text(name="device", default=None, source=_DEFAULTS),
    Text(name="format", default="torchscript", source=_DEFAULTS),
    Text(name="mode", default=None, source=_DEFAULTS),
)


def mode(view: View) -> str:
    """Return the command's mode: `yolo export …`, `yolo detect train …`, `yolo mode=val …`."""
    words = [view.text("mode")]
    for document in view.documents:
        words.append(document.name.rpartition(" ")[2])
        words += [str(entry.value) for entry in document.entries if entry.path.startswith("@")]
    return next((word for word in words if word in _MODES), "")


def halved(view: View) -> Setting | None:
    """Return the setting of float16 outside training: `quantize`, else the older `half`, which int8 overrides."""
    if view.get("quantize") is not None:
        return view.given("quantize") if view.text("quantize") in _FLOAT16 else None
    return view.given("half") if view.on("half") and view.off("int8") else None


def effective(view: View, run: Run) -> Iterator[Component]:
    """Yield the model, which is trained under autocast, or runs in one dtype."""
    if mode(view) == "train":
        amp = _AMP.get(view.text("amp"), "unknown")
        autocast = Cell(value=amp, by=view.given("amp"), why="default of Ultralytics")
        yield trained("model", weights=Cell(value="float32", why="default of Ultralytics"), autocast=autocast)
        return
    half = halved(view)
    weights = Cell(value="float16", by=half) if half else Cell(value="float32", why="default of Ultralytics")
    yield frozen("model", weights=weights, autocast=Cell(value="off", why="nothing is trained"))


SYSTEM = System(
    name="ultralytics", title="Ultralytics", version="8.4.190", source=f"{_DEFAULTS}; ultralytics/engine/exporter.py",
    keys=KEYS,
    others=frozenset("model data epochs imgsz batch source project name workers patience task conf iou".split()),
    programs=("yolo", *(f"yolo {word}" for word in (*_MODES, *_TASKS))), effective=effective,
    unknown_key="SyntaxError: … is not a valid YOLO argument",
)


def _traced_on_cpu(view: View, run: Run) -> bool:
    traced = mode(view) == "export" and view.at("format", "torchscript")
    on_cpu = view.get("device") in (None, "cpu") or run.on_device("cpu")
    return traced and on_cpu and halved(view) is not None


CONFLICTS = (
    Conflict(
        rule="float16-on-cpu", keys=("quantize", "half", "device", "format"), when=_traced_on_cpu,
        says="float16 is exported to TorchScript on a CPU",
        effect="ValueError: FP16 TorchScript export is only supported on GPU, i.e. use device=0. (at 8.4.80 still "
        "silent: the file is float32)",
        help="add device=0, or drop the float16 option", source="ultralytics/engine/exporter.py, 8.4.190",
    ),
    Conflict(
        rule="setting-has-no-effect", severity="warning", keys=("half", "int8"),
        when=lambda s, _: s.on("half") and s.on("int8") and s.get("quantize") is None and mode(s) == "export",
        says="half and int8 are both on",
        effect="silent: int8 overrides half; both are deprecated, quantize=8 and quantize=16 replace them",
        help="drop half", source="ultralytics/cfg/__init__.py _handle_deprecation, 8.4.190",
    ),
)
