"""Cells that no key of a trainer decides: TF32, and the defaults of a model's class in Transformers.

    filled(run, component).tf32   off: torch's default, nothing that was read changes it

TF32 is off until a program that lint reads switches it on. A model's name determines its class if it is one of a
family: Transformers' default attention for it, and buffers that are rotary frequencies, which stay float32 in any
dtype.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..core.frozen import replace
from ..core.regex import regex
from .calls import loading
from .setting import Document, Unknown
from .system import Setting
from .table import UNKNOWN, Cell, Component

if TYPE_CHECKING:
    from .run import Run
    from .view import View

FAMILIES = ("llama", "mistral", "mixtral", "qwen2", "qwen3")
"""Text models whose classes in Transformers 5.23.0 use SDPA, and have rotary frequencies as their only buffers."""
_FAMILY = regex("|".join(FAMILIES))
_APART = regex(
    "vision|vl|omni|audio|next|3[._]5|llama-?4|gptq|awq|gguf|fp8|[48]-?bit|int[48]|w[48]a"
)
"""Parts of the names of other classes, or of quantized weights."""
TF32_ON = (True, "high", "medium", "tf32")
TF32_OFF = (False, "highest", "ieee")
"""The values of torch's switches; "medium" is TF32 on CUDA too (torch.set_float32_matmul_precision)."""
_COMPILES = ("torch_compile", "dynamo")


def filled(run: Run, part: Component) -> Component:
    """Return a component with the cells filled in that its system leaves unknown."""
    found = _by_class(run)
    return replace(
        part,
        tf32=_known(part.tf32, tf32(run)),
        attention=_known(part.attention, found.get("attention")),
        buffers=_known(part.buffers, found.get("buffers")),
    )


def _known(cell: Cell, found: Cell | None) -> Cell:
    return found if found is not None and cell.value == "unknown" else cell


def _by_class(run: Run) -> dict[str, Cell]:
    """Return the cells that the model's class decides, if its name determines it."""
    call = loading(run)
    if call and (call.below("**") or call.below("quantization_config")):
        return {}
    named = _named(run, call)
    found = {
        "attention": Cell(
            value="sdpa", by=named, why="Transformers' default for its class"
        ),
        "buffers": Cell(
            value="float32", by=named, why="rotary frequencies stay float32"
        ),
    }
    own = call.given("attn_implementation") if call else None
    if own:
        text = "unknown" if isinstance(own.value, Unknown) else str(own.value)
        found["attention"] = Cell(value=text, by=own)
    return {name: cell for name, cell in found.items() if cell.by}


def is_tf32_switch(document: Document) -> bool:
    """Check whether a document is a switch for TF32 in code."""
    return document.name.endswith(
        ("allow_tf32", "fp32_precision", "set_float32_matmul_precision")
    )


def tf32_switches(view: View) -> Iterator[Setting]:
    """Yield the switches for TF32: `allow_tf32 = …`, `fp32_precision = …`, `set_float32_matmul_precision(…)`."""
    for document in view.documents:
        if is_tf32_switch(document):
            for entry in document.entries[:1]:
                yield Setting(
                    key=view.system.by_name["value"], entry=entry, document=document
                )


def tf32(run: Run) -> Cell:
    """Return whether products of float32 matrices use TF32."""
    environment = run.view("environment")
    if environment.at("NVIDIA_TF32_OVERRIDE", 0, 0.0):
        return Cell(value="off", by=environment.given("NVIDIA_TF32_OVERRIDE"))
    if _compiles(run) or any(map(is_tf32_switch, run.other_documents)):
        return UNKNOWN
    if any(view.open for view in run.trainers):
        return UNKNOWN
    switches = [*tf32_switches(run.view("torch"))]
    if switches:
        return _switched(switches)
    by = environment.given("TORCH_ALLOW_TF32_CUBLAS_OVERRIDE")
    if environment.on("TORCH_ALLOW_TF32_CUBLAS_OVERRIDE"):
        return Cell(value="on", by=by)
    if not _is_read(run):
        return UNKNOWN
    return Cell(value="off", why="torch's default; no setting changes it")


def _is_read(run: Run) -> bool:
    """Check whether the code that could set TF32 is the program's that was read, or a trainer's that is known."""
    if any(claimed.document.origin == "call" for claimed in run.claimed):
        return True
    return any(view.system.facts.own_program for view in run.trainers)


def _switched(switches: list[Setting]) -> Cell:
    """Return the result of switches in code, if they agree."""
    for value, values in (("on", TF32_ON), ("off", TF32_OFF)):
        if all(switch.value in values for switch in switches):
            return Cell(value=value, by=switches[-1])
    return UNKNOWN


def _compiles(run: Run) -> bool:
    """Check whether a model is compiled: the Trainer and accelerate then switch TF32 on, depending on the GPU."""
    return any(
        any(word in entry.path for word in _COMPILES)
        and entry.value not in (False, None, "no", "NO", "")
        for claimed in run.claimed
        for entry in claimed.document.entries
    )


def _named(run: Run, call: View | None) -> Setting | None:
    """Return the setting with the name of the model that Transformers loads, if it determines the class."""
    names = [
        view.given(key)
        for view in run.trainers
        for key in ("model_name_or_path", "base_model")
        if key in view.system.by_name
    ]
    names += [call.given("pretrained_model_name_or_path")] if call else []
    given = [name for name in names if name is not None]
    name = given[0].value if given else None
    return given[0] if isinstance(name, str) and model_family(name) else None


def model_family(name: str) -> str:
    """Return the family of a text model by its name, else "": "llama" for "meta-llama/Llama-3.1-8B"."""
    found = _FAMILY.search(name.lower())
    return found[0] if found and not _APART.search(name.lower()) else ""
