"""Check whether a copy on the CPU is intentional: a moving average, an offloaded state, a snapshot.

ema = {k: v.detach().cpu().clone() for k, v in net.state_dict().items()}        stays where it is
x = x.cpu()                                                                     may be a slip
"""

from __future__ import annotations

import re

import libcst as cst

from ...core.event import WRITING_COLLECTIVES
from .nodes import called, calls_any, last
from .source import Source

_TELLING = re.compile(
    r"ema|shadow|offload|average|avg|backup|snapshot|master|host|stash|cache|cpu|best",
    re.IGNORECASE,
)
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
    """Check whether a call writes to what an expression stands for, as `x.add_(y)` and `all_reduce(x)` do.

    Nobody would see what is written to a copy.
    """
    parent = source.parents.get(node)
    call = source.parents.get(parent) if parent is not None else None
    if not isinstance(call, cst.Call):
        return False
    name = called(call)
    in_place = name.endswith("_") and not name.endswith("__")
    if isinstance(parent, cst.Attribute):
        return in_place
    if not isinstance(parent, cst.Arg):
        return False
    if parent.keyword is not None:
        return parent.keyword.value == "out"
    owner = last(call.func.value) if isinstance(call.func, cst.Attribute) else ""
    writes = name in WRITING_COLLECTIVES or (in_place and owner in _FUNCTIONS)
    return writes and parent is call.args[0]


def _to_cpu(source: Source, node: cst.Call) -> bool:
    return called(node) == "cpu" or (
        called(node) == "to" and "cpu" in "".join(map(source.text, node.args))
    )
