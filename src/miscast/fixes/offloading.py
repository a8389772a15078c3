"""Whether a copy on the CPU is there on purpose: a moving average, an offloaded state, a snapshot.

ema = {k: v.detach().cpu().clone() for k, v in net.state_dict().items()}        stays where it is
x = x.cpu()                                                                     may be a slip
"""

from __future__ import annotations

import re

import libcst as cst

from .nodes import called, calls_any
from .source import Source

_TELLING = re.compile(
    r"ema|shadow|offload|average|avg|backup|snapshot|master|host|stash|cache|cpu|best",
    re.IGNORECASE,
)
_COPIES = frozenset(
    {
        "clone",
        "detach",
        "deepcopy",
        "copy",
        "pin_memory",
        "state_dict",
        "items",
        "share_memory_",
    }
)


def is_kept(source: Source, node: cst.CSTNode) -> bool:
    """Whether a call that moves to the CPU stands where something is put aside: a copy, for a name that says so."""
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
    """Whether a method in place writes to what an expression stands for: of a copy nobody would see it."""
    owner = source.parents.get(node)
    call = (
        source.parents.get(owner)
        if isinstance(owner, cst.Attribute) and owner.value is node
        else None
    )
    name = called(call) if isinstance(call, cst.Call) else ""
    return name.endswith("_") and not name.endswith("__")


def _to_cpu(source: Source, node: cst.Call) -> bool:
    return called(node) == "cpu" or (
        called(node) == "to" and "cpu" in "".join(map(source.text, node.args))
    )
