"""Compare a changed program's run with the first: findings gone, new findings, and how much ran."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...core.event import EACH_KIND, Block, Event, Operand, Scopes
from ...core.finding import Finding
from ...report import Report
from ..remedy.diffs import differences
from ..trials.expected import Expected
from ..trials.outcome import Outcome

_LEAST = 0.7  # of the ops of before: a program that does much less avoids the mistake, it has not mended it


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A trial's verdict on a change: `kept`, or why not; `follow` consequences remain, `ops` ran."""

    kept: bool
    why: str = ""
    follow: int = 0
    ops: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """The positions of a file's lines after a change."""

    path: str
    blocks: Sequence[tuple[int, int, int, int]]

    @classmethod
    def between(cls, path: str, old: bytes, new: bytes) -> Moved:
        """Compare two versions of a file's text."""
        before, after = (data.decode("latin-1").splitlines() for data in (old, new))
        return cls(path=path, blocks=differences(before, after))

    def range(self, path: str, line: int) -> tuple[int, int]:
        """Return the first and last line that a line may be now; (0, -1) if it is gone."""
        shift = 0
        for begin, end, to, until in self.blocks if path == self.path else ():
            if begin < line <= end:
                return to + 1, until
            if end < line:
                shift = until - end
        return line + shift, line + shift

    @property
    def lines(self) -> int:
        """Number of lines changed, added or removed."""
        return sum(
            max(end - begin, until - to) for begin, end, to, until in self.blocks
        )


class Lines:
    """The positions of several files' lines after changes."""

    def __init__(self, moved: Iterable[Moved]) -> None:
        self._moved = {one.path: one for one in moved}

    @classmethod
    def between(cls, old: Mapping[str, bytes], new: Mapping[str, bytes]) -> Lines:
        """Compare two versions of each file."""
        return cls(Moved.between(path, old[path], data) for path, data in new.items())

    def range(self, path: str, line: int) -> tuple[int, int]:
        """See `Moved.range`."""
        moved = self._moved.get(path)
        return (line, line) if moved is None else moved.range(path, line)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A run of a changed program beside the one before.

    `left` are the indices of findings that are still there, at `worse` of which more operands are wrong than before;
    `fresh` are the findings that were not there, `fault` is what is wrong with the run as a whole. `whole`: it came to
    its end, so that what is not left is gone; `passed`: it was ended behind the place of the finding that was to be
    mended.
    """

    left: frozenset[int] = frozenset()
    worse: int = 0
    fresh: tuple[Finding, ...] = ()
    fault: str = ""
    whole: bool = True
    passed: bool = False
    ops: int = 0

    @property
    def clean(self) -> bool:
        """True if nothing speaks against the changes; findings may remain."""
        return self.whole and not self.fresh and not self.fault


def expected(
    before: Report, lines: Lines | Moved, but: Collection[int] = ()
) -> list[Expected]:
    """Return the findings that may appear, by their current lines; not those with the numbers `but`."""
    others = (f for n, f in enumerate(before.findings) if n not in but)
    places = ((f, f.location.file, f.location.line) for f in others)
    return [(f.op, f.about, at, *lines.range(at, line)) for f, at, line in places]


def seen(
    before: Report,
    outcome: Outcome,
    lines: Lines | Moved,
    *,
    target: int = -1,
    mended: Collection[int] = (),
) -> Seen:
    """Compare a run with the first. Findings like `target`, which was to be fixed, are matched first.

    Of the `mended` none may show: it would be a fresh one.
    """
    after = outcome.report
    if after is None or after.failed is not None:
        fault = outcome.failed if after is None else str(after.failed)
        return Seen(fault=fault, whole=False)
    left_over = set(range(len(before.findings))) - set(mended)
    waiting = sorted(left_over, key=lambda index: (index == target, index))
    left, fresh = _compared(before, after, waiting, lines)
    worse = sum(_is_worse(before.findings[n], now) for n, now in left.items())
    if target in waiting and _is_joined(before, target, after, lines):
        left.setdefault(target, before.findings[target])
    cut_short = outcome.stopped or outcome.passed
    more = outcome.stopped and not fresh
    fault = "the run shows more than before" if more else ""
    fault = fault if cut_short else _fault(before, after)
    whole = not cut_short and after.ended in (None, before.ended)
    return Seen(
        left=frozenset(left),
        worse=worse,
        fresh=fresh,
        fault=fault,
        whole=whole,
        passed=outcome.passed,
        ops=after.ops,
    )


def _is_worse(was: Finding, now: Finding) -> bool:
    return len(_offending(now)) > len(_offending(was))


def _compared(
    before: Report, after: Report, waiting: list[int], lines: Lines | Moved
) -> tuple[dict[int, Finding], tuple[Finding, ...]]:
    """Return what each of `waiting` is now, by its index, if it is still there, and the new findings."""
    left: dict[int, Finding] = {}
    fresh: list[Finding] = []
    old = before.findings
    for finding in after.findings:
        waits = (n for n in waiting if n not in left)
        alike = [n for n in waits if same(old[n], finding, lines)]
        said = [n for n in alike if old[n].message == finding.message]
        left.update(dict.fromkeys((*said, *alike)[:1], finding))
        fresh += () if alike else (finding,)
    return left, tuple(fresh)


def _is_joined(
    before: Report, target: int, after: Report, lines: Lines | Moved
) -> bool:
    """Check whether another finding of the target's line shows more often: the target's calls fail as its do, now."""
    finding = before.findings[target]
    rest = (f for n, f in enumerate(before.findings) if n != target)
    others = {f.message: f.count for f in rest if same(f, finding, Lines(()))}
    return any(
        one.count > others.get(one.message, one.count) and same(finding, one, lines)
        for one in after.findings
    )


def _fault(before: Report, after: Report) -> str:
    if after.ended is not None and after.ended != before.ended:
        return after.ended
    unknown = sorted(set(after.unchecked) - set(before.unchecked))
    if unknown:
        return f"introduces unchecked op {unknown[0]}"
    missing = _not_forced(before, after)
    if missing is not None:
        return f"the branch explored at line {missing.line} would end with {missing.ended or 'nothing'}"
    if after.ops < _LEAST * before.ops:
        return f"only {after.ops:,} of {before.ops:,} ops would run"
    return ""


def _not_forced(before: Report, after: Report) -> Block | None:
    """Return a branch that was explored to its end only before the change."""
    ways = Counter(_way(block) for block in after.reach if _is_whole(block))
    for block in before.reach:
        if _is_whole(block) and not ways[_way(block)]:
            others = [one for one in after.reach if _way(one) == _way(block)]
            # a change may make all samples alike
            if others or block.condition != EACH_KIND:
                return next(iter(others), block)
        ways[_way(block)] -= 1
    return None


def _is_whole(block: Block) -> bool:
    return block.forced and block.ended is None


def _way(block: Block) -> tuple[str, str]:
    return block.file, block.condition


def judged(before: Report, target: int, one: Seen, lines: Lines | Moved) -> Verdict:
    """Return the verdict on a change that was meant to fix a finding, and that caused all new ones."""
    finding = before.findings[target]
    if one.fresh:
        return Verdict(kept=False, why=_told(finding, one.fresh[0], lines))
    if target in one.left:
        return Verdict(kept=False, why="the finding stays")
    if one.fault or not (one.whole or one.passed):
        return Verdict(kept=False, why=one.fault or "the program did not finish")
    follow = sum(before.findings[index].consequence_of == target for index in one.left)
    return Verdict(kept=True, follow=follow, ops=one.ops)


def successor(
    before: Report, target: int, outcome: Outcome, lines: Lines | Moved
) -> tuple[Finding, Scopes] | None:
    """Return the finding that replaces one which a change did not fix, with the names visible there.

    That is the finding, where an operand has another origin now, or the first that was not there before. None: nothing
    of the kind, or the finding as it was.
    """
    after, finding = outcome.report, before.findings[target]
    if after is None:
        return None
    found = list(enumerate(after.findings))
    alike = [pair for pair in found if same(finding, pair[1], lines)]
    moved = [pair for pair in alike if _moved_on(finding, pair[1], lines)]
    for number, one in moved if alike or not outcome.stopped else found[:1]:
        scopes = outcome.scopes
        return one, scopes[number] if number < len(scopes) else {}
    return None


def _moved_on(old: Finding, new: Finding, lines: Lines | Moved) -> bool:
    """Check whether an offending operand got its dtype (device) elsewhere than before, or fewer offend."""
    if len(_offending(new)) < len(_offending(old)):
        return True
    return any(
        not any(_same_story(old, one, new, other, lines) for one in old.operands)
        for other in _offending(new)
    )


def _offending(finding: Finding) -> list[Operand]:
    """Return operands with the blamed one's value."""
    values = {finding.value(o) for o in finding.operands if o.name == finding.blamed}
    return [one for one in finding.operands if finding.value(one) in values]


def _same_story(
    old: Finding, one: Operand, new: Finding, other: Operand, lines: Lines | Moved
) -> bool:
    """Check whether the first and the last event of two origins are the same."""
    first, second = old.origin(one), new.origin(other)
    if first is None or second is None:
        return first is second
    before, after = first.chain(), second.chain()
    ends = ((before[0], after[0]), (before[-1], after[-1]))
    return all(_same_event(was, now, lines) for was, now in ends)


def _same_event(was: Event, now: Event, lines: Lines | Moved) -> bool:
    if was.op != now.op or was.location is None or now.location is None:
        return was.op == now.op
    begin, end = lines.range(was.location.file, was.location.line)
    same_file = was.location.file == now.location.file
    return same_file and begin <= now.location.line <= end


def same(old: Finding, new: Finding, lines: Lines | Moved) -> bool:
    """Check whether a finding existed before the change, in other words or not."""
    was, now = ((f.rule, f.op, f.about, f.location.file) for f in (old, new))
    first, last = lines.range(old.location.file, old.location.line)
    return was == now and first <= new.location.line <= last


def _told(target: Finding, finding: Finding, lines: Lines | Moved) -> str:
    if same(target, finding, lines):
        stays = finding.message == target.message
        return "the finding stays" if stays else f"then {finding.message}"
    name = finding.location.file.rpartition("/")[2]
    return f"then {finding.message} at {name}:{finding.location.line}"
