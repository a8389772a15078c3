"""One change of one place, in one or more variants, and what it would cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import libcst as cst

from ...core.dtypes import DTYPES, HALVES
from . import safety, words
from .at_hand import is_borrowed, plain_names
from .edit_site import EditSite
from .names import plainly, spelled_out, states
from .readers import alone
from .safety import Safety
from .source import Source

Write = Callable[[str], bytes | None]
"""Return a file's bytes with a line added."""
BLUNT = 80
"""The first order of changes that cover more than the mistake: autocast around it, a policy."""
_INNOCENT = 20  # further from the mistake: the other operand made to follow the odd one


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """A change as it is written. `write` gives the file's bytes with it, or None where that is no program.

    `sure`: what it names was seen to stand for what is wanted, so that it does what the plainest variant does.
    `literal`: it spells out a dtype or a device, and its file does so nowhere else; or it names what is not the
    function's own.
    """

    title: str
    write: Callable[[], bytes | None]
    sure: bool = False
    literal: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change of a file. The variants mean the same; the nicest is first, the one that needs least is last.

    `safe` if no number changes by it; `reason` says why, or why not (`safety.py`). `precision_loss` is 0 if no
    precision is lost that the program's author had not given up already. `order` is how far it is from the mistake, 0
    at its birth; it is tried as if it were nearer by `priority`. `exact` is the
    expression that it converts, if that is the offending operand of the failing call (`binding.py`).
    """

    source: Source
    site: EditSite
    line: int
    variants: tuple[Variant, ...]
    safe: bool
    reason: str
    precision_loss: int = 0
    order: int = 0
    priority: int = 0
    exact: str = ""

    @property
    def first(self) -> int:
        """The variant that verifies the change: the nicest that is sure to fix it, else the plainest."""
        sure = (index for index, variant in enumerate(self.variants) if variant.sure)
        return next(sure, len(self.variants) - 1)


def rounds(site: EditSite) -> bool:
    """Check whether a site wants a wider dtype in half precision."""
    half = site.about == "dtype" and site.want in HALVES and site.have not in HALVES
    return half and not safety.widens(site.have, site.want)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeBuilder:
    """Makes the changes of one kind at a site: what they have in common is said once."""

    source: Source
    site: EditSite
    order: int
    priority: int = 0
    precision_loss: int | None = None
    """Default None: the site's."""
    reason: str = ""
    """The reason it is unsafe, if dtypes do not show that."""
    exact: str = ""

    def replaced(
        self, old: cst.CSTNode, *new: cst.CSTNode, op: str = "", at_call: bool = False
    ) -> Iterator[Change]:
        """Yield the change that puts another node in a node's place, one variant for each new node."""
        was = self.source.text(old)
        variants = [
            Variant(
                title=words.replaced(self.source, old, node, self.site.about),
                write=partial(self.source.with_node, old, node),
                sure=self._sure(node),
                literal=self.spells(node, instead=old),
            )
            for node in new
            if self.source.text(node) != was
        ]
        # what a function only borrows comes after its own names, the plainest stays last
        variants[:-1] = sorted(variants[:-1], key=lambda one: one.literal)
        yield from self.written(
            self.source.line(old), *variants, op=op, at_call=at_call
        )

    def inserted(
        self, place: str, line: int, write: Write, texts: Iterable[str]
    ) -> Iterator[Change]:
        """Yield the change that adds one of these lines: "after train.py:12"."""
        variants = [
            Variant(
                title=f"add `{text}` {place}",
                write=partial(write, text),
                literal=self.spells(cst.parse_statement(text)),
            )
            for text in texts
        ]
        yield from self.written(line, *variants)

    def written(
        self, line: int, *variants: Variant, op: str = "", at_call: bool = False
    ) -> Iterator[Change]:
        """Yield the change in these variants, if there are any.

        `op` is the factory that is changed; `at_call`: an operand is changed on its way into the call that failed.
        """
        if not variants:
            return
        told = Safety(safe=False, why=self.reason)
        found = told if self.reason else self._judged(op, at_call=at_call)
        lost = self.precision_loss
        yield Change(
            source=self.source,
            site=self.site,
            exact=self.exact,
            line=line,
            variants=variants,
            safe=found.safe,
            reason=found.why,
            order=self.order + (0 if self.site.blamed else _INNOCENT),
            precision_loss=self.site.precision_loss if lost is None else lost,
            priority=self.priority,
        )

    def spells(self, node: cst.CSTNode, *, instead: cst.CSTNode | None = None) -> bool:
        """Check whether a node newly spells out the wanted value, which no other place in the file does, nor the op."""
        if instead is not None and self._borrows(node, instead):
            return True
        if self.site.about == "dtype" and self.site.other is None:
            return False
        words = spelled_out(self.site.about, self.site.want)
        text = self.source.text(node)
        old = "" if instead is None else self.source.text(instead)
        within = None
        if self.site.about == "device" and instead is not None:
            # a class leaves its device to those who use it
            within = self.source.above(instead, cst.ClassDef)
        return any(text.count(word) > old.count(word) for word in words) and not states(
            self.source, words, within, named=False
        )

    def _borrows(self, new: cst.CSTNode, old: cst.CSTNode) -> bool:
        was = {one.value for one in plain_names(old)}
        names = {one.value for one in plain_names(new)} - was
        return any(is_borrowed(self.source, old, name) for name in names)

    def _judged(self, op: str, *, at_call: bool) -> Safety:
        site = self.site
        into = site.operand == "self" and site.failed_op.endswith("_")
        if site.about == "device":
            if op:
                return safety.made_on(op, site.dtype)
            return safety.moved(in_place=at_call and into)
        # a device that the machine has not
        if site.have not in DTYPES or site.want not in DTYPES:
            return Safety(safe=True, why="the program could not run there before")
        if op:
            only = op in safety.CONSTANT and self._alone(op)
            return safety.made_as(op, site.have, site.want, alone=only)
        told = safety.cast_at_call(site.have, site.want, in_place=into)
        return told if at_call else safety.cast_before(site.have, site.want)

    def _alone(self, op: str) -> bool:
        site = self.site
        if site.failed is None or site.foreign:
            return False
        return alone(site.failed_op, site.failed, site.location, op, self.source.plain)

    def _sure(self, node: cst.CSTNode) -> bool:
        """Check whether a call's last argument, as in `.to(latent.dtype)`, is known to be the wanted value."""
        if not isinstance(node, cst.Call) or not node.args:
            return False
        text = self.source.tree.code_for_node(node.args[-1].value)
        sure = self.site.is_weight(text) or self.site.fits_as(text)
        return text == plainly(self.source, self.site) or bool(sure)
