"""Components are quantized by libraries that cannot be used together."""

from __future__ import annotations

from ..conflict import Conflict
from ..deciding import on
from ..run import Run
from ..view import View


def _both(view: View, _: Run) -> bool:
    """Check whether both are on; in code, in one call, as an `if` often has a call for each."""
    four, eight = on(view, "load_in_4bit"), on(view, "load_in_8bit")
    if four is None or eight is None:
        return False
    return view.system.role != "library" or four.document is eight.document


CONFLICTS = tuple(
    Conflict(
        system=system,
        inherited=True,
        keys=("load_in_4bit", "load_in_8bit"),
        when=_both,
        says="load_in_4bit and load_in_8bit are both on",
        effect="ValueError: load_in_4bit and load_in_8bit are both True, but only one can be used at the same time",
        help="keep one of them",
        source="transformers/utils/quantization_config.py, 5.23.0",
    )
    for system in ("transformers", "axolotl", "torch")
)
