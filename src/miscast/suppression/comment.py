"""A comment that suppresses: `# miscast: ignore[operand-dtype-mismatch] the input is cast by the hook`.

>>> read("# miscast: ignore[loss-rounds] small by design", "train.py", 12, (12, 12))
Comment(file='train.py', line=12, first=12, last=12, rules=('loss-rounds',), reason='small by design', mistake='')
"""

from __future__ import annotations

import re
from collections.abc import Collection

from ..core.frozen import dataclass
from ..core.similar import similar
from ..judging.findings.aliases import ids

_SAID = re.compile(r"(?:^|#)#*[ \t]*miscast:[ \t]*([^\n]*)$")
_IGNORE = re.compile(r"ignore[ \t]*\[([^\]]*)\][ \t]*(.*)$")
_WORD = re.compile(r"[\w-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """Suppresses findings of `rules` whose line is one from `first` to `last`: those of the statement beside it.

    `mistake` says what is wrong with it, if something is; then it suppresses what of it is right.
    """

    file: str
    line: int
    first: int
    last: int
    rules: tuple[str, ...] = ()
    reason: str = ""
    mistake: str = ""

    def about(self, rule: str, line: int) -> bool:
        """Check whether it suppresses findings of a rule at a line: it may name an id that they had before."""
        named = not set(ids(rule)).isdisjoint(self.rules)
        return named and self.first <= line <= self.last


def read(
    text: str, file: str, line: int, lines: tuple[int, int], known: Collection[str] = ()
) -> Comment | None:
    """Return what a comment suppresses; None if it is about something else. `known` are the rules that there are."""
    said = _SAID.search(text)
    if said is None:
        return None
    first, last = lines
    found = _IGNORE.match(said[1])
    named = _WORD.findall(found[1]) if found else []
    rules = tuple(one for one in named if not known or one in known)
    return Comment(
        file=file,
        line=line,
        first=first,
        last=last,
        rules=rules,
        reason=found[2].strip() if found else "",
        mistake=_mistake(said[1], named, known),
    )


def _mistake(said: str, named: list[str], known: Collection[str]) -> str:
    if not said.startswith("ignore"):
        return f"{said[:40]!r} is not a miscast comment: expected ignore[RULE]"
    if not named:
        return "names no rule: expected ignore[RULE] and a reason"
    for one in named:
        if known and one not in known:
            what = f"unknown rule {one[:40]!r}"
            return ": ".join(filter(None, (what, similar(one, known))))
    return ""
