"""Lightning: `Trainer(precision=…)` and `Fabric(…)` in code, or a Lightning CLI YAML with `trainer.precision`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..run import Run
from ..setting import Unknown
from ..system import Key, Number, System, Text
from ..table import UNKNOWN, Cell, Component, trained
from ..view import View

_CONNECTOR = "lightning/pytorch/trainer/connectors/accelerator_connector.py"
NAMES = {
    "64": "64-true", "32": "32-true", "16": "16-mixed", "bf16": "bf16-mixed",
}  # fmt: skip
_VALUES = (
    "transformer-engine", "transformer-engine-float16", "16-true", "16-mixed", "bf16-true", "bf16-mixed", "32-true",
    "64-true", 64, 32, 16, "64", "32", "16", "bf16", None,
)  # fmt: skip
_DTYPES = {"16": "float16", "bf16": "bfloat16", "32": "float32", "64": "float64"}

KEYS = (
    Key(
        name="precision",
        allowed=_VALUES,
        default="32-true",
        source="lightning/fabric/plugins/precision/precision.py",
        rejects="ValueError: Precision {value!r} is invalid. Allowed precision values: ('transformer-engine', …)",
        means="weights and autocast in one word",
    ),
    Text(name="accelerator", default="auto", source=_CONNECTOR),
    Text(name="strategy", default="auto", aliases=("strategy.class_path",), source=_CONNECTOR),
    Text(name="plugins", aliases=("plugins.0", "plugins.class_path", "plugins.0.class_path"), source=_CONNECTOR),
    Text(name="devices", default="auto", source=_CONNECTOR),
    Number(name="accumulate_grad_batches", default=1, source="lightning/pytorch/trainer/trainer.py"),
    Number(name="gradient_clip_val", source="lightning/pytorch/trainer/trainer.py"),
)
_OTHERS = frozenset(
    "max_epochs max_steps callbacks logger num_nodes log_every_n_steps benchmark deterministic profiler detect_anomaly "
    "enable_progress_bar val_check_interval limit_train_batches fast_dev_run sync_batchnorm default_root_dir".split()
)


def precision(view: View) -> str:
    """The precision in its present spelling: "16-mixed"; empty where it is unknown."""
    value = view.get("precision")
    return "" if isinstance(value, Unknown) else NAMES.get(str(value), str(value))


def fabric(view: View) -> bool:
    """Whether the settings are Fabric's: it serves inference too, where nothing needs scaling."""
    return any(document.name.endswith("Fabric") for document in view.documents)


def plugin(view: View) -> str:
    """The name of the precision plugin, if one is given."""
    value = view.get("plugins") if view.given("plugins") else None
    text = value.text if isinstance(value, Unknown) else str(value or "")
    name = text.rpartition("(")[0] or text
    return name.rpartition(".")[2] if "Precision" in name else ""


def effective(view: View, run: Run) -> Iterator[Component]:
    """The module as the Trainer runs it."""
    setting, (bits, _, kind) = view.given("precision"), precision(view).partition("-")
    if bits not in _DTYPES:
        yield trained("module", weights=UNKNOWN, autocast=UNKNOWN)
        return
    why = "" if setting else "default of Lightning"
    own, off = Cell(value=_DTYPES[bits], by=setting, why=why), Cell(value="off", by=setting, why=why)
    if kind == "mixed" and bits == "16" and (view.at("accelerator", "cpu") or run.on_device("cpu")):
        own = Cell(value="bfloat16", by=view.given("accelerator"), why="16-mixed becomes bf16-mixed on cpu")
    whole = Cell(value="float32", by=setting, why="mixed keeps them")
    if own.value in ("float16", "bfloat16") and (shares := _shares(view)):
        yield shares(own, off, None if kind == "mixed" else own)
    elif kind == "mixed":
        yield trained("module", weights=whole, autocast=own)
    else:
        yield trained("module", weights=own, autocast=off, buffers=own)


def strategy(view: View) -> str:
    """The strategy as it is written, in lower case."""
    value = view.get("strategy")
    return (value.text if isinstance(value, Unknown) else str(value)).lower()


def _shares(view: View) -> Callable[[Cell, Cell, Cell | None], Component] | None:
    """What a strategy that shards makes of a half precision; None: it takes it as any other does."""
    text = strategy(view)
    return _engine if "deepspeed" in text else _flat if "fsdp" in text else None


def _engine(own: Cell, off: Cell, true: Cell | None) -> Component:
    """DeepSpeed's fp16 or bf16 engine, also for mixed (fabric/strategies/deepspeed.py:940)."""
    return trained(
        "module",
        weights=own,
        autocast=off,
        states=Cell(value="float32", by=own.by, why="DeepSpeed's master weights"),
        buffers=true or Cell(value="float32", by=own.by, why="DeepSpeed leaves buffers as they are"),
        scaling=Cell(value="dynamic" if own.value == "float16" else "off", by=own.by),
    )


def _flat(own: Cell, off: Cell, true: Cell | None) -> Component:
    """FSDP's policy: parameters for computing, reduction and buffers in one dtype (plugins/precision/fsdp.py:106)."""
    return trained(
        "module",
        weights=true or Cell(value="float32", by=own.by, why="mixed keeps them"),
        autocast=off if true else own,
        reduction=own,
        buffers=own,
    )


SYSTEM = System(
    name="lightning",
    title="Lightning",
    version="2.6.6",
    source=f"{_CONNECTOR}, lightning/fabric/connector.py",
    keys=KEYS,
    others=_OTHERS,
    marks=(
        ("trainer.precision",),
        ("trainer.accelerator",),
        ("trainer.max_epochs",),
        ("trainer.devices", "trainer.strategy"),
        ("precision", "accelerator"),
        ("precision", "max_epochs"),
        ("precision", "devices"),
    ),
    unless=("args", "train_dataset", "eval_dataset", "tokenizer", "processing_class", "reward_funcs"),
    nested=("trainer.",),
    programs=("Trainer", "Fabric"),
    modules=("lightning", "pytorch_lightning", "lightning_fabric"),
    effective=effective,
)
