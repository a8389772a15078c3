"""Check whether a copy on the CPU is intentional: a moving average, an offloaded state, a snapshot.

ema = {k: v.detach().cpu().clone() for k, v in net.state_dict().items()}        stays where it is
x = x.cpu()                                                                     may be a slip
"""

from __future__ import annotations

import re

import libcst as cst

from ...core.event import WRITING_COLLECTIVES
from .nodes import called, calls_any, last, name_of
from .source import Source

_WORDS = (
    r"ema|shadow|offload|average|avg|backup|snapshot|master|host|stash|cache|cpu|best"
)
_TELLING = re.compile(_WORDS, re.IGNORECASE)
_COPIES = frozenset({
    "clone", "detach", "deepcopy", "copy", "pin_memory", "state_dict", "items", "share_memory_",
})  # fmt: skip

_FUNCTIONS = frozenset({"torch", "F", "functional", "init", "utils"})
"""Modules of functions that write to their first argument, if their names end in "_"."""


def is_kept(source: Source, node: cst.CSTNode) -> bool:
    """Check whether a move to the CPU stores something on purpose: a copy, or a name that implies it."""
    if not isinstance(node, cst.Call) or not _to_cpu(source, node):
        return False
    for above in source.around(node):
        if isinstance(above, cst.BaseComp):
            return True
        if isinstance(above, cst.Assign):
            return calls_any(above.value, _COPIES) or any(
                _TELLING.search(source.text(target.target)) for target in above.targets
            )
    return False


def is_written(source: Source, node: cst.CSTNode) -> bool:
    """Check whether a line writes to what an expression stands for, as `x[i] = y`, `x.add_(y)` and `all_reduce(x)` do.

    Nobody would see what is written to a copy.
    """
    parent = source.parents.get(node)
    above = source.parents.get(parent) if parent is not None else None
    if isinstance(parent, cst.Subscript):
        target = getattr(above, "target", None)
        return parent.value is node and (target is parent or is_written(source, parent))
    if not isinstance(above, cst.Call):
        return False
    if not isinstance(parent, cst.Arg):
        return _ends_in_place(above)
    return name_of(parent) == "out" or (parent is above.args[0] and _writes(above))


def _ends_in_place(call: cst.Call) -> bool:
    return called(call).endswith("_") and not called(call).endswith("__")


def _writes(call: cst.Call) -> bool:
    """Check for a function that writes to its first argument."""
    owner = last(call.func.value) if isinstance(call.func, cst.Attribute) else ""
    in_place = _ends_in_place(call) and owner in _FUNCTIONS
    return in_place or called(call) in WRITING_COLLECTIVES


def _to_cpu(source: Source, node: cst.Call) -> bool:
    return called(node) == "cpu" or (
        called(node) == "to" and "cpu" in "".join(map(source.text, node.args))
    )
