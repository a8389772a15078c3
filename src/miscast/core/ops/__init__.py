"""Names of ops, one entry each. Data only, one file per family, no torch. Their demands are in `contracts/`.

A family file holds `OPS`, a tuple of `Op`. Files are found by discovery. `NAMES` are all public names of torch's ops:
most have nothing more to say of them, and stand in `others.py`.

>>> entry("layer_norm").modules, entry("lerp").operands, entry("no_such_op").operands
('LayerNorm', ('self', 'end', 'weight'), ())
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..plugins import each, load
from .op import Op
from .others import OTHERS

__all__ = ["NAMES", "OPS", "Op", "by", "entry"]

OPS: tuple[Op, ...] = tuple(
    op
    for file in load(__name__, needs=(each("OPS", Op),), helpers=("op", "others"))
    for op in file.OPS
)
NAMES = OTHERS.union(
    *(op.schemas.split() for op in OPS), (op.name for op in OPS if not op.ours)
)
"""Public names of torch's ops, as its schemas and functional.py spell them (torch 2.13): a test compares them."""
_BY_NAME: Mapping[str, Op] = {op.name.rstrip("_"): op for op in OPS}
_NOTHING = Op(name="")


def entry(name: str | None) -> Op:
    """Return the entry of an op, in place or not; an empty one if there is none."""
    return _BY_NAME.get((name or "").rstrip("_"), _NOTHING)


def by(words: Callable[[Op], str]) -> Mapping[str, str]:
    """Return the names of ops by the words of one of their fields, the longest, and so most specific, word first."""
    found = {word: op.name for op in OPS for word in words(op).split()}
    return dict(sorted(found.items(), key=lambda item: -len(item[0])))
