"""Whether a changed program is mended: the finding is gone, nothing came in its place, and as much of it ran."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from ..finding import Finding
from ..report import Report
from .trials import Outcome

_LEAST = 0.7  # of the ops of before: a program that does much less avoids the mistake, it has not mended it


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a trial showed: `kept`, or why not. `causes` and `findings` are how many are left, `ops` how many ran."""

    kept: bool
    why: str = ""
    causes: int = 0
    findings: int = 0
    ops: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """Where lines of a file are after a change of it."""

    path: str
    blocks: Sequence[tuple[str, int, int, int, int]]

    @classmethod
    def between(cls, path: str, old: bytes, new: bytes) -> Moved:
        """From one text of a file to the next."""
        lines = [data.decode("latin-1").splitlines() for data in (old, new)]
        matcher = difflib.SequenceMatcher(None, *lines, autojunk=False)
        return cls(path=path, blocks=matcher.get_opcodes())

    def holds(self, path: str, old: int, new: int) -> bool:
        """Whether line `new` of a changed file may be what line `old` was."""
        if path != self.path:
            return old == new
        for tag, begin, end, to, until in self.blocks:
            if begin < old <= end:
                return new - to == old - begin if tag == "equal" else to < new <= until
        return False

    @property
    def lines(self) -> int:
        """How many lines were changed, added or removed."""
        return sum(max(end - begin, until - to) for tag, begin, end, to, until in self.blocks if tag != "equal")


def judged(before: Report, target: Finding, outcome: Outcome, moved: Moved) -> Verdict:
    """The verdict on a change that was to mend `target`."""
    after = outcome.report
    if after is None:
        return Verdict(kept=False, why=outcome.failed)
    if after.ended is not None and after.ended != before.ended:
        return Verdict(kept=False, why=after.ended)
    expected = [finding for finding in before.findings if finding is not target]
    for finding in after.findings:
        match = next((known for known in expected if _same(known, finding, moved)), None)
        if match is None:
            return Verdict(kept=False, why=_told(target, finding, moved))
        expected.remove(match)
    fresh = sorted(set(after.unchecked) - set(before.unchecked))
    if fresh:
        return Verdict(kept=False, why=f"{fresh[0]} would be called so that nothing is known of it")
    if after.ops < _LEAST * before.ops:
        return Verdict(kept=False, why=f"only {after.ops:,} of {before.ops:,} ops would run")
    return Verdict(kept=True, causes=len(after.causes), findings=len(after.findings), ops=after.ops)


def _same(old: Finding, new: Finding, moved: Moved) -> bool:
    """Whether a finding is one that was there before the change, in whatever words."""
    same = (old.rule, old.op, old.location.file) == (new.rule, new.op, new.location.file)
    return same and moved.holds(old.location.file, old.location.line, new.location.line)


def _told(target: Finding, finding: Finding, moved: Moved) -> str:
    if _same(target, finding, moved):
        return "the finding stays" if finding.message == target.message else f"then {finding.message}"
    name = finding.location.file.rpartition("/")[2]
    return f"then {finding.message} at {name}:{finding.location.line}"
