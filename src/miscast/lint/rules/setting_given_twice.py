"""A key is given twice in one place, with different values."""

from __future__ import annotations

from collections.abc import Iterator

from ..contradiction import Contradiction
from ..run import Run
from ..setting import Document, Unknown
from ..system import Setting, System


def find(run: Run) -> Iterator[Contradiction]:
    """Yield keys of one document that have two values."""
    for view in run.views:
        for document in view.documents:
            if not _branches(document):
                yield from _in(view.system, document)


def _branches(document: Document) -> bool:
    """Check whether it is code or a script, where each branch may set a variable."""
    script = document.origin == "environment" and not document.file.endswith("env")
    return script or document.origin == "call"


def _in(system: System, document: Document) -> Iterator[Contradiction]:
    seen: dict[str, Setting] = {}
    for entry in document.entries:
        key = system.by_name.get(entry.path)
        if key is None:
            continue
        setting = Setting(key=key, entry=entry, document=document)
        first = seen.setdefault(entry.path, setting)
        if (
            first is not setting
            and first.value != setting.value
            and not isinstance(setting.value, Unknown)
        ):
            seen[entry.path] = setting
            yield _twice(system, first, setting)


def _twice(system: System, first: Setting, last: Setting) -> Contradiction:
    return Contradiction(
        says=f"{last.name} is {first.entry.text or first.value} and then {last.entry.text or last.value}",
        settings=(last, first),
        severity="error" if system.key_twice else "warning",
        effect=system.key_twice or "silent: the last one counts",
        help="keep one of them",
    )
