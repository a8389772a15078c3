"""A trained embedding has another dtype than its text encoder.

## What
`embedding_weight_dtype` of OneTrainer differs from the text encoder's `weight_dtype`, and an output embedding is
trained.

## Why
The output embedding is added outside autocast, while the model is set up: float32 embeddings promote the encoder's
hidden states, and its half layer norm raises.

## Example
    "text_encoder": {"weight_dtype": "FLOAT_16"}, "embedding_weight_dtype": "FLOAT_32",
    "embedding": {"train": true, "is_output_embedding": true}

## Use instead
    "text_encoder": {"weight_dtype": "FLOAT_32"}

## Fix safety
Safe: the encoder in float32 holds every half number; it needs twice the memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..contradiction import Contradiction, replaced
from ..run import Run
from ..system import Setting
from ..systems import onetrainer
from ..view import View

_ENCODERS = ("text_encoder", "text_encoder_2", "text_encoder_3", "text_encoder_4")


def find(run: Run) -> Iterator[Contradiction]:
    """Output embeddings whose encoder has another dtype."""
    view = run.view("onetrainer")
    output = _output(view) if view and onetrainer.embeddings(view) else None
    own = str(view.get("embedding_weight_dtype"))
    if output is None or own == "NONE":
        return
    for part in _unlike(view, own)[:1]:
        yield Contradiction(
            says=f"the embedding is {own}, its {part.name} is {part.dtype}, and it is an output embedding",
            settings=(view.given("embedding_weight_dtype"), part.by, output),
            effect="RuntimeError: expected scalar type Float but found Half (the encoder's layer norm, run outside "
            "autocast while the model is set up)",
            help=f'set {part.name}.weight_dtype to "{own}"',
            edit=replaced(part.by, f'"{own}"') if own == "FLOAT_32" else None,
        )


def _unlike(view: View, dtype: str) -> list[onetrainer.Part]:
    """The text encoders whose weights are of another floating dtype."""
    others = {*onetrainer.HALF, "FLOAT_32"} - {dtype}
    return [
        part
        for part in onetrainer.parts(view)
        if part.name in _ENCODERS and part.dtype in others
    ]


def _output(view: View) -> Setting | None:
    """The setting that makes an output embedding."""
    name = "embedding.is_output_embedding"
    if view.on(name):
        return view.given(name)
    additional = (
        Setting(key=view.system.by_name[name], entry=entry, document=document)
        for document in view.documents
        for entry in document.entries
        if entry.key[0] == "additional_embeddings"
        and entry.key[-1] == "is_output_embedding"
        and entry.value is True
    )
    return next(additional, None)
