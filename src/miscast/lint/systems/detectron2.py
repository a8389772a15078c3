"""detectron2's YAML (yacs): `SOLVER.AMP.ENABLED`; also as pairs after `train_net.py --config-file …`."""

from __future__ import annotations

from collections.abc import Iterator

from ...core.frozen import replace
from ..conflict import Conflict
from ..run import Run
from ..setting import Document
from ..system import Switch, System, Text
from ..table import Cell, Component, trained
from ..view import View

_DEFAULTS = "detectron2/config/defaults.py, 0.6"


def pairs(document: Document) -> Document:
    """Return a document with a command's bare words as keys and values: `SOLVER.AMP.ENABLED True`."""
    if document.origin != "command":
        return document
    words = [entry for entry in document.entries if entry.path.startswith("@")]
    if words and "." not in str(words[0].value):
        words = words[1:]
    given = [
        replace(value, key=tuple(str(key.value).split(".")))
        for key, value in zip(words[::2], words[1::2], strict=False)
    ]
    own = (entry for entry in document.entries if not entry.path.startswith("@"))
    return replace(document, entries=(*own, *given))


def effective(view: View, run: Run) -> Iterator[Component]:
    """Yield the model in float32, under AMPTrainer's float16 autocast if it is on (engine/train_loop.py)."""
    amp = view.get("SOLVER.AMP.ENABLED")
    value = {True: "float16", False: "off"}.get(amp, "unknown") if isinstance(amp, bool) else "unknown"
    setting = view.given("SOLVER.AMP.ENABLED")
    yield trained(
        "model", weights=Cell(value="float32", why="detectron2 converts no weights"),
        autocast=Cell(value=value, by=setting, why="" if setting else "default of detectron2"),
    )


SYSTEM = System(
    name="detectron2", title="detectron2", version="0.6",
    source=f"{_DEFAULTS}; detectron2/engine/train_loop.py AMPTrainer",
    keys=(
        Switch(name="SOLVER.AMP.ENABLED", means="float16 autocast with a grad scaler", source=_DEFAULTS),
        Text(name="MODEL.DEVICE", default="cuda", source=_DEFAULTS),
        Text(name="MODEL.META_ARCHITECTURE", source=_DEFAULTS),
    ),
    marks=(("MODEL.META_ARCHITECTURE", "SOLVER."), ("_BASE_", "MODEL."), ("SOLVER.AMP.ENABLED",),
           ("SOLVER.IMS_PER_BATCH",)),
    programs=("tools/train_net.py", "./train_net.py"), translate=pairs, effective=effective,
    unknown_key="KeyError: Non-existent config key",
)


CONFLICTS = (
    Conflict(
        rule="float16-on-cpu", keys=("SOLVER.AMP.ENABLED",),
        when=lambda s, run: s.on("SOLVER.AMP.ENABLED") and run.off_device("cuda"),
        says="AMP is enabled, and the machine has no CUDA",
        effect="AssertionError: [AMPTrainer] CUDA is required for AMP training!", help="set SOLVER.AMP.ENABLED: False",
        source="detectron2/engine/train_loop.py AMPTrainer.run_step, 0.6",
    ),
)
