"""Whether a changed program is mended: the finding is gone, nothing came in its place, and as much of it ran."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from ..finding import Finding
from ..report import Report
from .trials import Expected, Outcome

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
        before, after = (data.decode("latin-1").splitlines() for data in (old, new))
        matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
        return cls(path=path, blocks=matcher.get_opcodes())

    def range(self, path: str, line: int) -> tuple[int, int]:
        """The first and last line that a line may be now; (0, -1) if it is gone."""
        if path == self.path:
            for tag, begin, end, to, until in self.blocks:
                if begin < line <= end:
                    return (line - begin + to,) * 2 if tag == "equal" else (to + 1, until)
            return (0, -1)
        return (line, line)

    @property
    def lines(self) -> int:
        """How many lines were changed, added or removed."""
        return sum(max(end - begin, until - to) for tag, begin, end, to, until in self.blocks if tag != "equal")


def expected(before: Report, target: Finding, moved: Moved) -> list[Expected]:
    """The findings that may still show when a change has mended `target`."""
    return [
        (f.op, f.about, f.location.file, *moved.range(f.location.file, f.location.line))
        for f in before.findings
        if f is not target
    ]


def judged(before: Report, target: Finding, outcome: Outcome, moved: Moved) -> Verdict:
    """The verdict on a change that was to mend `target`."""
    after = outcome.report
    if after is None:
        return Verdict(kept=False, why=outcome.failed)
    if after.failed is not None:
        return Verdict(kept=False, why=after.failed)
    if after.ended is not None and after.ended != before.ended:
        return Verdict(kept=False, why=after.ended)
    others = [finding for finding in before.findings if finding is not target]
    for finding in after.findings:
        match = next((known for known in others if _same(known, finding, moved)), None)
        if match is None:
            return Verdict(kept=False, why=_told(target, finding, moved))
        others.remove(match)
    if outcome.stopped:
        return Verdict(kept=False, why="the run shows more than before")
    fresh = sorted(set(after.unchecked) - set(before.unchecked))
    if fresh:
        return Verdict(kept=False, why=f"{fresh[0]} would be called so that nothing is known of it")
    if after.ops < _LEAST * before.ops:
        return Verdict(kept=False, why=f"only {after.ops:,} of {before.ops:,} ops would run")
    return Verdict(kept=True, causes=len(after.causes), findings=len(after.findings), ops=after.ops)


def _same(old: Finding, new: Finding, moved: Moved) -> bool:
    """Whether a finding is one that was there before the change, in whatever words."""
    if (old.rule, old.op, old.about, old.location.file) != (new.rule, new.op, new.about, new.location.file):
        return False
    first, last = moved.range(old.location.file, old.location.line)
    return first <= new.location.line <= last


def _told(target: Finding, finding: Finding, moved: Moved) -> str:
    if _same(target, finding, moved):
        return "the finding stays" if finding.message == target.message else f"then {finding.message}"
    name = finding.location.file.rpartition("/")[2]
    return f"then {finding.message} at {name}:{finding.location.line}"
