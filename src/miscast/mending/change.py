"""One change of one place, in one or more spellings, and what it would cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import libcst as cst

from ..dtypes import DTYPES
from ..remedy.safety import widens
from .source import Source
from .spot import Spot

_INNOCENT = 20  # further from the mistake: the other operand made to follow the odd one
_EXACT = frozenset({"ones", "zeros", "eye", "ones_like", "zeros_like", "new_ones", "new_zeros", "empty", "new_empty"})
_RANDOM = frozenset({"rand", "randn", "rand_like", "randn_like", "normal"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelling:
    """A change as it is written. `write` gives the file's bytes with it, or None where that is no program.

    `sure`: what it names was seen to stand for what is wanted, so that it does what the plainest spelling does.
    """

    title: str
    write: Callable[[], bytes | None]
    sure: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change of a file. The spellings mean the same; the nicest is first, the one that needs least is last.

    `safe` if no number can become worse by it; `reason` says why, or why not. `harm` is 0 if no precision is lost that
    the program's author had not given up already. `order` is how far it is from the mistake, 0 at its birth; it is
    tried as if it were nearer by `ahead`.
    """

    source: Source
    line: int
    spellings: tuple[Spelling, ...]
    safe: bool
    reason: str
    harm: int = 0
    order: int = 0
    ahead: int = 0

    @property
    def first(self) -> int:
        """Which spelling proves the change: the nicest that is sure to do it, else the plainest."""
        sure = (index for index, spelling in enumerate(self.spellings) if spelling.sure)
        return next(sure, len(self.spellings) - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Maker:
    """Makes the changes of one kind at a spot: what they have in common is said once."""

    source: Source
    spot: Spot
    order: int
    ahead: int = 0

    def replaced(
        self, old: cst.CSTNode, *new: tuple[str, cst.CSTNode], harm: int | None = None, op: str = "", reason: str = ""
    ) -> Iterator[Change]:
        """The change that puts another node in a node's place, as (title, node) in each spelling."""

        def writer(node: cst.CSTNode) -> Callable[[], bytes | None]:
            return lambda: self.source.with_node(old, node)

        spelled = [Spelling(title=title, write=writer(node), sure=self._sure(node)) for title, node in new]
        yield from self.written(self.source.line(old), *spelled, harm=harm, op=op, reason=reason)

    def written(
        self, line: int, *spellings: Spelling, harm: int | None = None, op: str = "", reason: str = ""
    ) -> Iterator[Change]:
        """The change with these spellings. `reason`: why it is not safe, where that is not told by dtypes."""
        if not spellings:
            return
        safe, told = (False, reason) if reason else judged(self.spot, op)
        yield Change(
            source=self.source, line=line, spellings=spellings, safe=safe, reason=told,
            order=self.order + (0 if self.spot.blamed else _INNOCENT),
            harm=self.spot.harm if harm is None else harm, ahead=self.ahead,
        )  # fmt: skip

    def _sure(self, node: cst.CSTNode) -> bool:
        """Whether the last argument of a call, as `.to(latent.dtype)`, was seen to stand for what is wanted."""
        if not isinstance(node, cst.Call) or not node.args:
            return False
        return bool(self.spot.fits_as(self.source.tree.code_for_node(node.args[-1].value)))


def judged(spot: Spot, op: str = "") -> tuple[bool, str]:
    """Whether no number can become worse if a tensor gets what a spot wants, and why; `op` made the tensor."""
    if spot.about == "device":
        return True, "a move changes no number"
    if op in _EXACT:
        return True, "a constant that every dtype holds"
    if op in _RANDOM:
        return False, f"other random numbers are drawn in {spot.want}"
    if spot.have not in DTYPES or spot.want not in DTYPES:  # a device that the machine has not
        return True, "it runs where it could not"
    if widens(spot.have, spot.want):
        return True, f"{spot.want} holds every {spot.have} number"
    return False, f"{spot.want} rounds what {spot.have} holds"
