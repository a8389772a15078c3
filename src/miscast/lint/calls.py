"""Calls in code, each by itself: what one of them is given says nothing of the next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..regex import regex
from .system import Setting
from .view import View

if TYPE_CHECKING:
    from .run import Run

_APART = regex("Tokenizer|Processor|Config|Scheduler|FeatureExtractor")
"""What is loaded and is no model."""


def calls(run: Run, *names: str) -> Iterator[View]:
    """The calls of torch and its libraries, in the file's order; only of those whose name ends so, if any is said."""
    library = run.view("torch")
    for document in library.documents:
        if not names or document.name.endswith(names):
            yield View(library.system, (document,))


def loading(run: Run) -> View | None:
    """The call that loads the one model; of several, which one is trained is for the code to know."""
    models = [
        view
        for view in calls(run, "from_pretrained")
        if not _APART.search(view.documents[0].name)
    ]
    return models[0] if len(models) == 1 else None


def loaded(run: Run) -> Setting | None:
    """The dtype that the one model is loaded in."""
    call = loading(run)
    return None if call is None else call.given("dtype")


def adapted(run: Run) -> bool:
    """Whether code makes an adapter of peft's."""
    names = {view.documents[0].name.rpartition(".")[2] for view in calls(run)}
    return bool(names & {"LoraConfig", "AdaLoraConfig", "get_peft_model"})
