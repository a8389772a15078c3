"""diffusion-pipe: a TOML with the model's and the adapter's dtype; DeepSpeed's pipeline without an fp16 section."""

from __future__ import annotations

from collections.abc import Iterator

from ..deciding import chosen
from ..run import Run
from ..system import Key, System, Text
from ..table import Cell, Component, dtype, frozen, trained
from ..view import View

_TRAIN = "diffusion-pipe train.py set_config_defaults, 2026-08"
_MAP = "utils/common.py DTYPE_MAP"
_DTYPES = (None, "float32", "float16", "bfloat16", "float8", "float8_e4m3fn", "float8_e5m2")

KEYS = (
    *(
        Key(name=name, allowed=_DTYPES, rejects="KeyError: {value!r}", source=f"{_TRAIN}; {_MAP}", means=means)
        for name, means in (("model.dtype", "the model, and autocast"),
                            ("model.transformer_dtype", "the frozen transformer's weights"),
                            ("model.diffusion_model_dtype", "the frozen transformer's weights"),
                            ("adapter.dtype", "the adapter; unset: the model's"), ("save_dtype", "the saved model"))
    ),
    Text(name="model.type", source=_TRAIN),
    Text(name="adapter.type", default=None, source=_TRAIN),
    Text(name="optimizer.type", source=_TRAIN),
)


def effective(view: View, run: Run) -> Iterator[Component]:
    """Yield the adapter on a frozen transformer, or the model."""
    autocast = chosen(view, "model.dtype")
    if not view.given("adapter.type"):
        yield trained("model", weights=autocast, autocast=autocast)
        return
    own = view.given("adapter.dtype")
    followed = Cell(value=autocast.value, by=autocast.by, why="same as the model")
    weights = Cell(value=dtype(own.value), by=own) if own else followed
    yield trained("adapter", weights=weights, autocast=autocast)
    base = view.entry("model.transformer_dtype", "model.diffusion_model_dtype")
    yield frozen("transformer", weights=Cell(value=dtype(base.value), by=base) if base else autocast, autocast=autocast)


SYSTEM = System(
    name="diffusion-pipe", title="diffusion-pipe", version="main of 2026-08", source=_TRAIN, keys=KEYS,
    others=frozenset("output_dir dataset epochs micro_batch_size_per_gpu pipeline_stages gradient_clipping".split()),
    marks=(("model.type", "model.dtype"), ("model.type", "micro_batch_size_per_gpu")), effective=effective,
)
