"""An unknown key looks like a precision key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...report.wording import plural
from ..contradiction import Contradiction
from ..run import Run
from ..setting import Document, Entry
from ..system import Key, Setting, System

_CLOSE = 0.88
_PART = 0.78


def find(run: Run) -> Iterator[Contradiction]:
    """Slips of a precision key."""
    for view in run.views:
        for document in view.documents:
            if view.system.role not in (
                "environment",
                "library",
            ) and not _may_be_anothers(view.system, document):
                yield from _slips(view.system, document)


def _may_be_anothers(system: System, document: Document) -> bool:
    """Whether a key may be the program's own: a call's, or that of a script that the system is not known to be."""
    return document.origin == "call" or (
        document.origin == "command" and not system.has_program(document.name)
    )


def _slips(system: System, document: Document) -> Iterator[Contradiction]:
    yield from _refusals(system, document)
    for entry in document.entries:
        if _is_refused(system, entry):
            continue
        if name := _meant(system, entry.path, document):
            setting = Setting(key=Key(name=entry.path), entry=entry, document=document)
            yield Contradiction(
                says=f"{system.title} knows no {setting.name}: did you mean {name}?",
                settings=(setting,),
                severity="warning",
                effect=system.unknown_key,
                help=f"write {name}",
            )


def _is_refused(system: System, entry: Entry) -> bool:
    """Whether a key stands in a section that is closed to it; "auto" is taken out before DeepSpeed looks."""
    inside = entry.path.startswith(system.closed) and entry.value != "auto"
    return inside and not _is_known(system, entry.path)


def _refusals(system: System, document: Document) -> Iterator[Contradiction]:
    """What a closed section does not take, told once for the section: it is one error of its library's, too."""
    sections: dict[str, list[Setting]] = {}
    for entry in document.entries:
        if _is_refused(system, entry):
            setting = Setting(key=Key(name=entry.path), entry=entry, document=document)
            sections.setdefault(entry.path.rpartition(".")[0], []).append(setting)
    for section, settings in sections.items():
        yield _refused(system, section, settings)


def _refused(
    system: System, section: str, settings: Sequence[Setting]
) -> Contradiction:
    first = settings[0]
    fields = [setting.name.rpartition(".")[2] for setting in settings]
    homes = [
        other
        for prefix in system.closed
        if f"{(other := prefix[:-1])}.{fields[0]}" in system.by_name
    ]
    near = _near(system, first.name) if len(settings) == 1 else ""
    says = f"{system.title} knows no {', '.join(setting.name for setting in settings)}"
    since = f" ({system.closed_since}; ignored before)" if system.closed_since else ""
    errors = plural(len(settings), "validation error")
    return Contradiction(
        says=f"{says}: {fields[0]} is {homes[0]}'s" if homes else says,
        settings=tuple(settings),
        effect=f"ValidationError: {errors} for {section}: {fields[0]}: Extra inputs are not permitted{since}",
        help=f"drop it, or write {near}"
        if near.startswith(section) and near
        else "drop what it does not know",
    )


def _near(system: System, path: str) -> str:
    import difflib  # takes as long to import as a small file takes to read

    return next(
        iter(difflib.get_close_matches(path, system.by_name, n=1, cutoff=_CLOSE)), ""
    )


def _meant(system: System, path: str, document: Document) -> str:
    """The key that a path that the system does not know looks like, if the document does not give it."""
    bare = next(
        (path[len(prefix) :] for prefix in system.nested if path.startswith(prefix)),
        path,
    )
    if len(bare) < 4 or bare in system.others or _is_known(system, path):
        return ""
    near = _near(system, bare)
    if not _alike(bare.split("."), near.split(".")):
        return ""
    given = near and (near in document.values() or _variant(bare, near))
    return "" if given else near


def _alike(one: list[str], other: list[str]) -> bool:
    """Whether two paths are alike part by part: a long section that both have makes any two look so."""
    import difflib

    return len(one) == len(other) and all(
        difflib.SequenceMatcher(None, a, b).ratio() >= _PART
        for a, b in zip(one, other, strict=True)
    )


def _is_known(system: System, path: str) -> bool:
    """Whether a path is a key, another that is known, a bare word, a list's member, or the section of a key."""
    if system.key(path) is not None or path in system.others or path.startswith("@"):
        return True
    if path.rpartition(".")[2].isdigit():
        return True
    return any(name.startswith(f"{path}.") for name in system.by_name)


def _variant(path: str, name: str) -> bool:
    """Whether a key differs by a digit, a point or a prefix: text_encoder_2 is no slip of text_encoder_3."""
    plain = str.maketrans("._-", "   ", "0123456789")
    return (
        path.translate(plain) == name.translate(plain)
        or path.endswith(name)
        or name.endswith(path)
        or path.startswith(f"{name}_")
    )
