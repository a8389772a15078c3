"""Calls in code, each with its own arguments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..core.regex import regex
from .system import Setting
from .view import View

if TYPE_CHECKING:
    from .run import Run

_APART = regex("Tokenizer|Processor|Config|Scheduler|FeatureExtractor")
"""Classes whose `from_pretrained` loads no model."""


def calls(run: Run, *names: str) -> Iterator[View]:
    """Yield the calls of torch and its libraries in order; only those that end in one of `names`, if given."""
    library = run.view("torch")
    for document in library.documents:
        if not names or document.name.endswith(names):
            yield View(library.system, (document,))


def loading(run: Run) -> View | None:
    """Return the call that loads the model; None if there are several, of which any may be trained."""
    models = [
        view
        for view in calls(run, "from_pretrained")
        if not _APART.search(view.documents[0].name)
    ]
    return models[0] if len(models) == 1 else None


def loaded(run: Run) -> Setting | None:
    """Return the setting of the dtype that the model is loaded in."""
    call = loading(run)
    return None if call is None else call.given("dtype")


def adapted(run: Run) -> bool:
    """Check whether code creates an adapter with peft."""
    names = {view.documents[0].name.rpartition(".")[2] for view in calls(run)}
    return bool(names & {"LoraConfig", "AdaLoraConfig", "get_peft_model"})
