"""FSDP cannot flatten integer weights."""

from __future__ import annotations

from collections.abc import Iterator

from ..contradiction import Contradiction
from ..deciding import on
from ..run import Run
from ..setting import named_dtype
from ..sharding import flattened
from ..system import Setting
from ..view import View

_HALVES = {"float16", "bfloat16"}


def find(run: Run) -> Iterator[Contradiction]:
    """Yield integer weights under FSDP1."""
    fsdp = flattened(run)
    if fsdp is None:
        return
    for view in (*run.trainers, run.view("torch")):
        yield from _integers(view, fsdp)
    yield from _stored_unlike_weights(run.view("torch"), fsdp)


def _integers(view: View, fsdp: Setting) -> Iterator[Contradiction]:
    """Yield an 8-bit base, or a 4-bit base in code without a storage dtype."""
    eight, four = on(view, "load_in_8bit"), on(view, "load_in_4bit")
    if eight:
        yield _flattened(eight, fsdp, "an 8-bit base under FSDP")
    elif (
        four
        and view.system.role == "library"
        and view.given("bnb_4bit_quant_storage") is None
    ):
        yield _flattened(four, fsdp, "a 4-bit base stored in uint8 under FSDP")


def _stored_unlike_weights(library: View, fsdp: Setting) -> Iterator[Contradiction]:
    """Yield 4-bit weights packed in one half dtype while the rest of the model has the other."""
    stored, loads = library.given("bnb_4bit_quant_storage"), library.given("dtype")
    if (
        stored is None
        or loads is None
        or not loads.document.name.endswith("from_pretrained")
    ):
        return
    packed, weights = named_dtype(stored.value), named_dtype(loads.value)
    if {packed, weights} == _HALVES:
        yield Contradiction(
            says=f"4-bit weights are packed in {packed}, the rest of the model is {weights}, under FSDP",
            settings=(stored, loads, fsdp),
            effect=f"ValueError: Must flatten tensors with uniform dtype but got torch.{packed} and torch.{weights}",
            help=f"set bnb_4bit_quant_storage to torch.{weights}",
        )


def _flattened(setting: Setting, fsdp: Setting, says: str) -> Contradiction:
    return Contradiction(
        says=says,
        settings=(setting, fsdp),
        effect="ValueError: Cannot flatten integer dtype tensors",
        help="use 4 bits with bnb_4bit_quant_storage in the dtype of the weights",
    )
