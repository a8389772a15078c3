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

from ...finding import Finding, Fix
from ..conflict import replaced, tell
from ..run import Run
from ..system import Setting
from ..systems import onetrainer
from ..view import View

_ENCODERS = ("text_encoder", "text_encoder_2", "text_encoder_3", "text_encoder_4")


def find(run: Run) -> Iterator[Finding]:
    """Output embeddings whose encoder has another dtype."""
    view = run.view("onetrainer")
    output = _output(view) if view else ()
    if not output or not onetrainer.embeddings(view):
        return
    own, embedding = str(view.get("embedding_weight_dtype")), view.given("embedding_weight_dtype")
    for part, (value, setting) in onetrainer.weights(view).items():
        if part in _ENCODERS and value != own and value in (*onetrainer.HALF, "FLOAT_32") and own != "NONE":
            edit = replaced(setting.entry.at, f'"{own}"') if setting and own == "FLOAT_32" else None
            yield tell(
                "embedding-dtype-unlike-encoder",
                f"the embedding is {own}, its {part} is {value}, and it is an output embedding",
                [s for s in (embedding, setting, *output) if s],
                effect="RuntimeError: expected scalar type Float but found Half (the encoder's layer norm, run outside "
                "autocast while the model is set up)",
                fixes=(Fix(title=f'set {part}.weight_dtype to "{own}"', safe=edit is not None,
                           edits=(edit,) if edit else ()),),
            )  # fmt: skip
            return


def _output(view: View) -> tuple[Setting, ...]:
    if view.on("embedding.is_output_embedding"):
        setting = view.given("embedding.is_output_embedding")
        return (setting,) if setting else ()
    key = view.system.by_name["embedding.is_output_embedding"]
    return tuple(
        Setting(key=key, entry=entry, document=document)
        for document in view.documents
        for entry in document.entries
        if entry.key[0] == "additional_embeddings" and entry.key[-1] == "is_output_embedding" and entry.value is True
    )[:1]
