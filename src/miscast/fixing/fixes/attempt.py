"""One change, or several upon each other, as it is tried for a finding, and what came of it: the best is the least.

min(attempts, key=lambda attempt: attempt.rank).candidate.title      "pass dtype=latent.dtype to `torch.ones` at …"
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...core.event import Scopes
from ...core.finding import Finding
from ..remedy.change import BLUNT, Change, Variant
from .verdict import Moved, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A change in one variant: the file's bytes with it, and its place in the order of a finding's candidates.

    `upon` is the one that was made before it, where one alone does not do.
    """

    change: Change
    variant: Variant
    data: bytes
    index: int
    moved: Moved
    upon: Candidate | None = None

    @property
    def all(self) -> tuple[Candidate, ...]:
        """This candidate and all that it builds on, the first one first."""
        return (*(self.upon.all if self.upon is not None else ()), self)

    @property
    def files(self) -> dict[str, bytes]:
        """Each file that is changed, as it is then."""
        return {one.change.source.path: one.data for one in self.all}

    @property
    def old(self) -> dict[str, bytes]:
        """Each file that is changed, as it was."""
        return {
            one.change.source.path: one.change.source.data for one in reversed(self.all)
        }

    @property
    def title(self) -> str:
        """The instruction for the user."""
        return ", and ".join(dict.fromkeys(one.variant.title for one in self.all))

    @property
    def precision_loss(self) -> int:
        """Worst precision loss."""
        return max(one.change.precision_loss for one in self.all)

    @property
    def literal(self) -> bool:
        """True if it spells out a dtype or a device that does not occur nearby."""
        return any(one.variant.literal for one in self.all)

    @property
    def blunt(self) -> bool:
        """True if it changes the computation of a whole region."""
        return any(one.change.order >= BLUNT for one in self.all)

    @property
    def lines(self) -> int:
        """Number of lines changed, added or removed."""
        return sum(one.moved.lines for one in self.all)

    @property
    def nicety(self) -> int:
        """0 for the nicest variant."""
        return sum(len(one.nicer) for one in self.all)

    @property
    def nicer(self) -> tuple[Variant, ...]:
        """The variants of its change that are nicer than its own."""
        return self.change.variants[: self.change.variants.index(self.variant)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A candidate that was tried, and what came of it.

    `left` are the findings that are still there, as far as the program ran, `near` how many of them are on its line or
    had been mended, `worse` at how many more operands are wrong than before; `whole`: it ran to its end. `then` is
    what stands in the finding's place now, where that is another one, or has another cause; `scopes` are its names.
    """

    candidate: Candidate
    verdict: Verdict
    left: frozenset[int] = frozenset()
    near: int = 0
    worse: int = 0
    whole: bool = True
    then: Finding | None = None
    scopes: Scopes = field(default_factory=dict)

    @property
    def rank(self) -> tuple[float, ...]:
        """The best is the least: what is given up and left, what is spelled out, how much is rewritten, how far off."""
        one, left = self.candidate, len(self.left) + self.worse
        cost = self.verdict.ops if self.whole else 0
        # what the program's author has said is not given up to save an edit elsewhere
        gives_up, lost = one.precision_loss > 1 or one.blunt, one.precision_loss
        return (
            gives_up, left, lost, one.literal, one.lines, one.change.order, cost, one.nicety, one.index,
        )  # fmt: skip

    @property
    def good(self) -> bool:
        """True if only a nearer, lossless one could be better: one line, no consequence, precision loss or literal."""
        one = self.candidate
        costs = one.precision_loss + one.literal
        nothing = self.verdict.follow + self.near + self.worse + costs == 0
        return self.verdict.kept and nothing and one.lines == 1
