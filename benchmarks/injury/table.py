"""The figures, as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .case import Case
from .work import Sound

GOALS = {"found": 1.0, "named": 0.95, "proven": 0.85, "as good": 0.7}
_HEAD = ("programs", "found", "line named", "by the help", "verified fix", "same result")


def figures(cases: Sequence[Case], sounds: Sequence[Sound]) -> str:
    """The table of all, with the goals, and what was found where nothing is wrong."""
    rows = [("all", *_row(cases)), ("goal", "", "100 %", "≥ 95 %", "", "≥ 85 %", "≥ 70 %")]
    alarms = [one for one in sounds if one.findings or one.error]
    silent = f"{len({s.program for s in sounds})} programs without a fault, each on its machine and on the CPU: "
    return _table("", rows) + "\n\n" + silent + (f"{len(alarms)} findings." if alarms else "no finding.")


def kinds(cases: Sequence[Case]) -> str:
    """Return the table with a row per kind of fault."""
    return _by("fault", cases, lambda one: one.kind)


def weakest(cases: Sequence[Case]) -> str:
    """Return a sentence on the kinds whose line is named, or that are fixed as in the original, in less than 95 %."""
    columns: dict[str, Callable[[Case], bool]] = {
        "line named": lambda one: one.named, "same result": lambda one: one.good
    }  # fmt: skip
    parts = []
    for column, right in columns.items():
        low = []
        for kind in sorted({one.kind for one in cases}):
            marks = [right(one) for one in cases if one.kind == kind]
            if sum(marks) < 0.95 * len(marks):
                low.append(f"{kind} {percent(sum(marks), len(marks))} of {len(marks)}")
        parts.append(f"Below 95 % in \"{column}\": {', '.join(low) or 'none'}.")
    return " ".join(parts)


def programs(cases: Sequence[Case]) -> str:
    """By program."""
    return _by("program", cases, lambda one: f"{one.program} ({one.machine})")


def missed(cases: Sequence[Case]) -> list[str]:
    """One line for each case that is not found, or whose line is not named."""
    return [
        f"{'line not named' if one.found else 'not found'}: {one.program} {one.file}:{one.first} [{one.kind}] "
        f"`{_one(one.original)}` → `{_one(one.injured)}`"
        for one in cases
        if not one.named
    ]


def _by(head: str, cases: Sequence[Case], key: Callable[[Case], str]) -> str:
    names = sorted({key(one) for one in cases})
    return _table(head, [(name, *_row([one for one in cases if key(one) == name])) for name in names])


def _row(cases: Sequence[Case]) -> tuple[str, ...]:
    marks = [
        [one.found for one in cases],
        [one.named for one in cases],
        [one.helped for one in cases],
        [one.proven for one in cases],
        [one.good for one in cases],
    ]
    return str(len(cases)), *(percent(sum(column), len(cases)) for column in marks)


def percent(count: int, total: int) -> str:
    """A share, rounded down, so that nothing is rounded to perfection."""
    return f"{1000 * count // total / 10:.1f} %" if total else ""


def _table(head: str, rows: Sequence[Sequence[str]]) -> str:
    lines = [(head, *_HEAD), ("---",) * (len(_HEAD) + 1), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _one(code: str) -> str:
    line = code.strip().splitlines()[0] if code.strip() else ""
    return line if len(line) <= 90 else f"{line[:89]}…"
