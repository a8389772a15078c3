"""One change of one place, in one or more spellings, and what it would cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import libcst as cst

from ..dtypes import DTYPES
from ..remedy import safety
from ..remedy.passing import alone
from ..remedy.safety import Safety
from .edit_site import Spot
from .names import plainly, spelled_out, states
from .source import Source

_INNOCENT = 20  # further from the mistake: the other operand made to follow the odd one


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelling:
    """A change as it is written. `write` gives the file's bytes with it, or None where that is no program.

    `sure`: what it names was seen to stand for what is wanted, so that it does what the plainest spelling does.
    `literal`: it spells out a dtype or a device, and its file does so nowhere else.
    """

    title: str
    write: Callable[[], bytes | None]
    sure: bool = False
    literal: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change of a file. The spellings mean the same; the nicest is first, the one that needs least is last.

    `safe` if no number changes by it; `reason` says why, or why not (`remedy/safety.py`). `harm` is 0 if no precision
    is lost that the program's author had not given up already. `order` is how far it is from the mistake, 0 at its
    birth; it is tried as if it were nearer by `ahead`.
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


def rounds(spot: Spot) -> bool:
    """Whether a spot wants half precision of what has more."""
    return spot.about == "dtype" and spot.want in ("float16", "bfloat16") and not safety.widens(spot.have, spot.want)


@dataclass(frozen=True, slots=True, kw_only=True)
class Maker:
    """Makes the changes of one kind at a spot: what they have in common is said once."""

    source: Source
    spot: Spot
    order: int
    ahead: int = 0

    def replaced(
        self, old: cst.CSTNode, *new: tuple[str, cst.CSTNode], harm: int | None = None, op: str = "", reason: str = "",
        at_call: bool = False,
    ) -> Iterator[Change]:  # fmt: skip
        """The change that puts another node in a node's place, as (title, node) in each spelling."""

        def writer(node: cst.CSTNode) -> Callable[[], bytes | None]:
            return lambda: self.source.with_node(old, node)

        spelled = [
            Spelling(title=title, write=writer(node), sure=self._sure(node), literal=self.spells(node, instead=old))
            for title, node in new
        ]
        yield from self.written(self.source.line(old), *spelled, harm=harm, op=op, reason=reason, at_call=at_call)

    def written(
        self, line: int, *spellings: Spelling, harm: int | None = None, op: str = "", reason: str = "",
        at_call: bool = False,
    ) -> Iterator[Change]:  # fmt: skip
        """The change with these spellings. `reason`: why it is not safe, where that is not told by dtypes.

        `op` is the factory that is changed; `at_call`: an operand is changed on its way into the call that failed.
        """
        if not spellings:
            return
        found = Safety(safe=False, why=reason) if reason else self._judged(op, at_call=at_call)
        yield Change(
            source=self.source, line=line, spellings=spellings, safe=found.safe, reason=found.why,
            order=self.order + (0 if self.spot.blamed else _INNOCENT),
            harm=self.spot.harm if harm is None else harm, ahead=self.ahead,
        )  # fmt: skip

    def spells(self, node: cst.CSTNode, *, instead: cst.CSTNode | None = None) -> bool:
        """Whether a node, other than what stood there, spells out what is wanted, in a file that nowhere else does."""
        words = spelled_out(self.spot.about, self.spot.want)
        text, old = self.source.text(node), "" if instead is None else self.source.text(instead)
        return any(text.count(word) > old.count(word) for word in words) and not states(self.source, words)

    def _judged(self, op: str, *, at_call: bool) -> Safety:
        spot, into = self.spot, self.spot.operand == "self" and self.spot.failed_op.endswith("_")
        if spot.about == "device":
            return safety.made_on(op) if op else safety.moved(in_place=at_call and into)
        if spot.have not in DTYPES or spot.want not in DTYPES:  # a device that the machine has not
            return Safety(safe=True, why="it runs where it could not")
        if op:
            return safety.made_as(op, spot.have, spot.want, alone=op in safety.CONSTANT and self._alone(op))
        told = safety.cast_at_call(spot.have, spot.want, in_place=into)
        return told if at_call else safety.cast_before(spot.have, spot.want)

    def _alone(self, op: str) -> bool:
        spot = self.spot
        if spot.failed is None or spot.foreign:
            return False
        return alone(spot.failed_op, spot.failed, spot.location, op, self.source.plain)

    def _sure(self, node: cst.CSTNode) -> bool:
        """Whether the last argument of a call, as `.to(latent.dtype)`, is what is wanted, or was seen to be."""
        if not isinstance(node, cst.Call) or not node.args:
            return False
        text = self.source.tree.code_for_node(node.args[-1].value)
        return text == plainly(self.source, self.spot) or bool(self.spot.fits_as(text))
