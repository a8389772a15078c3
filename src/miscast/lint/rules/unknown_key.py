"""An unknown key looks like a precision key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..contradiction import Contradiction
from ..run import Run
from ..setting import Document, Entry
from ..system import Key, Setting, System

_CLOSE = 0.88
_PART = 0.78


def find(run: Run) -> Iterator[Contradiction]:
    """Yield misspelled precision keys."""
    for view in run.views:
        for document in view.documents:
            beside = view.system.role in ("environment", "library")
            if not (beside or _may_be_anothers(view.system, document)):
                yield from _slips(view.system, document)


def _may_be_anothers(system: System, document: Document) -> bool:
    """Check whether a key may be the program's own: in a call, or an option of an unknown script."""
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
                says=f"{system.title} has no key {setting.name}: did you mean {name}?",
                settings=(setting,),
                severity="warning",
                effect=system.unknown_key,
                help=f"write {name}",
            )


def _is_refused(system: System, entry: Entry) -> bool:
    """Check whether a key is in a section that rejects it; values of "auto" are removed before DeepSpeed checks."""
    inside = entry.path.startswith(system.closed) and entry.value != "auto"
    return inside and not _is_known(system, entry.path)


def _refusals(system: System, document: Document) -> Iterator[Contradiction]:
    """Yield the keys that a section rejects, together: the library raises one error for them too."""
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
    says = (
        f"{system.title} has no key {', '.join(setting.name for setting in settings)}"
    )
    since = f" ({system.closed_since}; ignored before)" if system.closed_since else ""
    errors = f"{len(settings)} validation error{'s' * (len(settings) > 1)}"
    return Contradiction(
        says=f"{says}: {fields[0]} belongs to {homes[0]}" if homes else says,
        settings=tuple(settings),
        effect=f"ValidationError: {errors} for {section}: {fields[0]}: Extra inputs are not permitted{since}",
        help=f"drop it, or write {near}"
        if near.startswith(section) and near
        else "drop the unknown keys",
    )


def _near(system: System, path: str) -> str:
    import difflib  # takes as long to import as a small file takes to read

    return next(
        iter(difflib.get_close_matches(path, system.by_name, n=1, cutoff=_CLOSE)), ""
    )


def _meant(system: System, path: str, document: Document) -> str:
    """Return the known key that an unknown path looks like, if the document does not have it."""
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
    """Check whether two paths are similar part by part, so that a long common section does not count."""
    import difflib

    return len(one) == len(other) and all(
        difflib.SequenceMatcher(None, a, b).ratio() >= _PART
        for a, b in zip(one, other, strict=True)
    )


def _is_known(system: System, path: str) -> bool:
    """Check whether a path is known: a key, one of `others`, a bare word, a list's member, or a section."""
    if system.key(path) is not None or path in system.others or path.startswith("@"):
        return True
    if path.rpartition(".")[2].isdigit():
        return True
    return any(name.startswith(f"{path}.") for name in system.by_name)


def _variant(path: str, name: str) -> bool:
    """Check whether keys differ only by a digit, a dot or a prefix: text_encoder_2 is no misspelled text_encoder_3."""
    plain = str.maketrans("._-", "   ", "0123456789")
    return (
        path.translate(plain) == name.translate(plain)
        or path.endswith(name)
        or name.endswith(path)
        or path.startswith(f"{name}_")
    )
