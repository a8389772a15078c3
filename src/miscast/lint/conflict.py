"""One contradiction as data: which keys of a system, when, what then happens, what to set instead.

Conflict(system="transformers", keys=("fp16", "bf16"), when=lambda s, run: s.on("fp16") and s.on("bf16"),
         says="fp16 and bf16 are both on", effect="ValueError: At most one of fp16 and bf16 can be True, …",
         help="keep one of them", source="transformers/training_args.py, 5.23.0")
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from ..finding import Edit, Finding, Fix, Related, Severity
from .run import Run
from .setting import Place
from .system import Setting
from .view import View

When = Callable[[View, Run], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """`keys` are named as "key", or "system:key" for another system's; the first that is given is to blame.

    In `says` and `help`, `{0}` is the value of the first key, and so on. `effect` says what happens at run time: the
    error, or what is silently done. `fix` is a safe change: a key and the text that its value becomes.
    """

    system: str
    keys: tuple[str, ...]
    when: When
    says: str
    effect: str
    help: str
    source: str
    severity: Severity = "error"
    fix: tuple[str, str] | None = None


def findings(rule: str, conflicts: Iterable[Conflict], run: Run) -> Iterator[Finding]:
    """The conflicts that a run has."""
    for conflict in conflicts:
        view = run.view(conflict.system)
        if view and conflict.when(view, run):
            yield _finding(rule, conflict, view, run)


def _finding(rule: str, conflict: Conflict, view: View, run: Run) -> Finding:
    values: list[object] = []
    settings: list[Setting] = []
    for name in conflict.keys:
        system, _, key = name.rpartition(":")
        owner = run.view(system) if system else view
        values.append(owner.get(key))
        setting = owner.given(key)
        if setting is not None:
            settings.append(setting)
    return tell(
        rule,
        conflict.says.format(*values),
        settings,
        otherwise=view.place,
        severity=conflict.severity,
        effect=conflict.effect.format(*values),
        fixes=(_fix(conflict.help.format(*values), conflict, view),),
    )


def _fix(title: str, conflict: Conflict, view: View) -> Fix:
    setting = view.given(conflict.fix[0]) if conflict.fix else None
    if setting is None or conflict.fix is None:
        return Fix(title=title)
    edit = replaced(setting.entry.at, conflict.fix[1])
    return Fix(title=title, safe=edit is not None, edits=(edit,) if edit else ())


def replaced(at: Place, text: str) -> Edit | None:
    """The edit that writes `text` where a value stands, and leaves the rest of its line as it is."""
    if at.end <= at.column:
        return None
    line = at.code[: at.column - 1] + text + at.code[at.end - 1 :]
    return Edit(file=at.file, start_line=at.line, end_line=at.line, replacement=line)


def tell(  # noqa: PLR0913 - the parts of a finding
    rule: str,
    message: str,
    settings: Iterable[Setting],
    *,
    effect: str,
    fixes: tuple[Fix, ...],
    otherwise: Place | None = None,
    severity: Severity = "error",
) -> Finding:
    """A finding at the first of some settings, with the place of each other one beside it."""
    given = tuple(settings)
    at = given[0].entry.at if given else otherwise or Place(file="", line=0, column=0)
    related = {s.entry.at: Related(label="and", location=s.entry.at.location) for s in given[1:]}
    related.pop(at, None)
    return Finding(
        rule=rule,
        severity=severity,
        message=message,
        op=given[0].name if given else "",
        phase="program",
        location=at.location,
        related=tuple(related.values()),
        fixes=fixes,
        error=effect,
        raises="",
    )
