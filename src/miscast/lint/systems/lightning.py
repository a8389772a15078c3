"""Lightning: `Trainer(precision=…)` and `Fabric(…)` in code, or a Lightning CLI YAML with `trainer.precision`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..conflict import Conflict, When
from ..messages import NO_FLOAT8_PRODUCTS, UNSCALED
from ..run import FLOAT8, Run
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
    Key(name="precision", allowed=_VALUES, default="32-true", source="lightning/fabric/plugins/precision/precision.py",
        rejects="ValueError: Precision {value!r} is invalid. Allowed precision values: ('transformer-engine', …)",
        means="weights and autocast"),
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
    """Return the precision in its current spelling, "16-mixed"; "" if unknown."""
    value = view.get("precision")
    return "" if isinstance(value, Unknown) else NAMES.get(str(value), str(value))


def fabric(view: View) -> bool:
    """Check whether the settings are Fabric's, which also runs inference, where nothing needs scaling."""
    return any(document.name.endswith("Fabric") for document in view.documents)


def plugin(view: View) -> str:
    """Return the name of the precision plugin, else ""."""
    value = view.get("plugins") if view.given("plugins") else None
    text = value.text if isinstance(value, Unknown) else str(value or "")
    name = text.rpartition("(")[0] or text
    return name.rpartition(".")[2] if "Precision" in name else ""


def effective(view: View, run: Run) -> Iterator[Component]:
    """Yield the module as the Trainer runs it."""
    setting, (bits, _, kind) = view.given("precision"), precision(view).partition("-")
    if bits not in _DTYPES:
        yield trained("module", weights=UNKNOWN, autocast=UNKNOWN)
        return
    why = "" if setting else "default of Lightning"
    own, off = Cell(value=_DTYPES[bits], by=setting, why=why), Cell(value="off", by=setting, why=why)
    if (bits, kind) == ("16", "mixed") and (view.at("accelerator", "cpu") or run.on_device("cpu")):
        own = Cell(value="bfloat16", by=view.given("accelerator"), why="16-mixed becomes bf16-mixed on cpu")
    whole = Cell(value="float32", by=setting, why="mixed keeps float32 weights")
    if own.value in ("float16", "bfloat16") and (shares := _shares(view)):
        yield shares(own, off, None if kind == "mixed" else own)
    elif kind == "mixed":
        yield trained("module", weights=whole, autocast=own)
    else:
        yield trained("module", weights=own, autocast=off, buffers=own)


def strategy(view: View) -> str:
    """Return the strategy's spelling in lower case."""
    value = view.get("strategy")
    return (value.text if isinstance(value, Unknown) else str(value)).lower()


def _shares(view: View) -> Callable[[Cell, Cell, Cell | None], Component] | None:
    """Return the function for a strategy that shards a half-precision model; None for the other strategies."""
    text = strategy(view)
    return _engine if "deepspeed" in text else _flat if "fsdp" in text else None


def _engine(own: Cell, off: Cell, true: Cell | None) -> Component:
    """Return the row in DeepSpeed's fp16 or bf16 engine, also for mixed (fabric/strategies/deepspeed.py:940)."""
    return trained(
        "module", weights=own, autocast=off, states=Cell(value="float32", by=own.by, why="DeepSpeed's master weights"),
        buffers=true or Cell(value="float32", by=own.by, why="DeepSpeed does not cast buffers"),
        scaling=Cell(value="dynamic" if own.value == "float16" else "off", by=own.by),
    )


def _flat(own: Cell, off: Cell, true: Cell | None) -> Component:
    """Return the row under FSDP's policy: compute, reduction and buffers in one dtype (precision/fsdp.py:106)."""
    return trained(
        "module", weights=true or Cell(value="float32", by=own.by, why="mixed keeps float32 weights"),
        autocast=off if true else own, reduction=own, buffers=own,
    )


SYSTEM = System(
    name="lightning", title="Lightning", version="2.6.6", source=f"{_CONNECTOR}, lightning/fabric/connector.py",
    keys=KEYS, others=_OTHERS,
    marks=(("trainer.precision",), ("trainer.accelerator",), ("trainer.max_epochs",),
           ("trainer.devices", "trainer.strategy"), ("precision", "accelerator"), ("precision", "max_epochs"),
           ("precision", "devices")),
    unless=("args", "train_dataset", "eval_dataset", "tokenizer", "processing_class", "reward_funcs"),
    nested=("trainer.",), programs=("Trainer", "Fabric"),
    modules=("lightning", "pytorch_lightning", "lightning_fabric"), effective=effective,
)


_TAKEN = ("32-true", "bf16-mixed", "bf16-true", "16-true")


_ENGINE = ("transformer-engine", "transformer-engine-float16")


_HALVES = ("32-true", "16-true", "bf16-true", "16-mixed", "bf16-mixed")


def _refuses(kind: str, taken: tuple[str, ...]) -> When:
    def when(view: View, _: Run) -> bool:
        text, chosen = strategy(view), precision(view)
        known = chosen in (*NAMES.values(), *_ENGINE, *_HALVES)
        return kind in text and known and chosen not in taken

    return when


CONFLICTS = (
    Conflict(
        rule="float16-without-loss-scaling", severity="warning", keys=("precision",),
        when=lambda s, _: precision(s) == "16-true" and not fabric(s),
        says="precision 16-true trains float16 weights without a grad scaler", effect=UNSCALED,
        help="use 16-mixed, or bf16-true on Ampere and later", source="lightning HalfPrecision, 2.6.6",
    ),
    Conflict(
        rule="fp8-not-available", keys=("precision",),
        when=lambda s, run: run.lacks(*FLOAT8) and s.at("precision", *_ENGINE),
        says="precision {0} on a machine without float8 products", effect=NO_FLOAT8_PRODUCTS,
        help="use bf16-mixed or bf16-true", source="lightning/fabric/plugins/precision/transformer_engine.py, 2.6.6",
    ),
    Conflict(
        rule="precision-and-plugin", keys=("precision", "plugins"),
        when=lambda s, _: s.given("precision") is not None and not s.at("precision", None) and bool(plugin(s)),
        says="precision {0} is given, and a precision plugin too",
        effect="ValueError: Received both `precision={0}` and `plugins=…`. Choose one.", help="drop one of the two",
        source=f"{_CONNECTOR}, 2.6.6",
    ),
    Conflict(
        rule="quantization-excludes", keys=("plugins", "accelerator"),
        when=lambda s, run: (
            plugin(s) == "BitsandbytesPrecision"
            and (s.at("accelerator", "cpu", "mps", "tpu") or run.off_device("cuda"))
        ),
        says="BitsandbytesPrecision on a machine without CUDA",
        effect="RuntimeError: Bitsandbytes is only supported on CUDA GPUs.", help="use bf16-true, or a CUDA machine",
        source=f"{_CONNECTOR}, 2.6.6",
    ),
    Conflict(
        rule="setting-has-no-effect", severity="warning", keys=("precision", "accelerator"),
        when=lambda s, _: s.at("accelerator", "cpu") and s.at("precision", "16-mixed", 16, "16"),
        says="precision {0} on cpu becomes bf16-mixed",
        effect="silent: AMP with fp16 is not supported on CPU. Using `precision='bf16-mixed'` instead.",
        help="write bf16-mixed", source=f"{_CONNECTOR}, 2.6.6",
    ),
    Conflict(
        rule="strategy-excludes-precision", keys=("precision", "strategy"), when=_refuses("modelparallel", _TAKEN),
        says="ModelParallelStrategy does not support precision {0}",
        effect="ValueError: The `ModelParallelStrategy` does not support `Fabric(..., precision={0!r})`. Choose a "
        "different precision among: 32-true, bf16-mixed, bf16-true, 16-true.",
        help="use bf16-mixed, or 32-true", source=f"{_CONNECTOR}, 2.6.6",
    ),
    *(
        Conflict(
            rule="strategy-excludes-precision", keys=("precision", "strategy"), when=_refuses(strategy, _HALVES),
            says=f"the {title} strategy does not support precision {{0}}",
            effect=f"ValueError: `precision={{0!r}})` is not supported in {title}. `precision` must be one of: "
            f"{_HALVES}.",
            help="use bf16-mixed, or 32-true", source=f"lightning/fabric/plugins/precision/{strategy}.py, 2.6.6",
        )
        for strategy, title in (("deepspeed", "DeepSpeed"), ("fsdp", "FSDP"))
    ),
)
