"""Group documents that work together into runs.

Files that are named together or are in one folder form one run, unless it is ambiguous: two files for the same purpose
(three DeepSpeed JSONs, ten recipes) are alternatives, and then only files that name each other form a run.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..core.frozen import replace
from .run import ClaimedDocument, Run
from .setting import Document, Entry, Origin, Value
from .systems import recognised

if TYPE_CHECKING:
    from ..core.machines import Machine

_Bundle = tuple[ClaimedDocument, ...]
_GUIDES = (".md", ".mdx", ".ipynb")
_INLINE = ("deepspeed", "config", "config_params", "hf_ds_config")


class _Source(NamedTuple):
    """The source of documents that belong together: one command of a script, the calls of a program."""

    file: str
    origin: Origin
    part: int = 0

    @property
    def training(self) -> bool:
        """True if it is a training run that a program starts."""
        return self.origin == "call" and self.part > 0


def runs(
    scopes: Iterable[Sequence[Document]],
    shared: Sequence[Document],
    machine: Machine | None,
) -> Iterator[Run]:
    """Yield the runs of some folders (`scopes`); files that were named one by one (`shared`) belong to each of them."""
    common = _bundles(shared)
    folders = [(scope, bundles) for scope in scopes if (bundles := _bundles(scope))]
    for scope, bundles in folders or [((), [])]:
        for claimed in _together(bundles, common):
            files = {one.document.file for one in claimed}
            others = tuple(d for d in (*scope, *shared) if d.file not in files)
            yield Run(claimed=claimed, machine=machine, other_documents=others)


def _bundles(documents: Sequence[Document]) -> list[_Bundle]:
    """Return documents that belong together: a launcher and its script, all calls of one program."""
    found: dict[_Source, list[ClaimedDocument]] = {}
    for index, document in enumerate(documents):
        own = [*_claimed(document)]
        inner = [claimed for part in _inner(document) for claimed in _claimed(part)]
        if own or inner:
            found.setdefault(_source(document, index, own), []).extend(own + inner)
    return _trainings(found)


def _source(document: Document, index: int, own: Iterable[ClaimedDocument]) -> _Source:
    if document.origin == "command":
        return _Source(document.file, "command", document.group)
    if document.origin == "call":
        trains = any(claimed.system.role == "trainer" for claimed in own)
        return _Source(document.file, "call", document.group if trains else 0)
    return _Source(document.file, document.origin, index)


def _claimed(document: Document) -> Iterator[ClaimedDocument]:
    """Yield a document for each system that it belongs to, as the system reads it."""
    for system in recognised(document):
        own = system.translate(document) if system.translate else document
        yield ClaimedDocument(system=system, document=own)


def _inner(document: Document) -> Iterator[Document]:
    """Yield an engine's configuration inside another: `TrainingArguments(deepspeed={"bf16": …})`."""
    inside: dict[str, list[Entry]] = {}
    for entry in document.entries:
        if len(entry.key) > 2 and entry.key[0] in _INLINE:
            own = replace(entry, key=entry.key[1:])
            inside.setdefault(entry.key[0], []).append(own)
    for prefix in sorted(inside, key=_INLINE.index):
        entries = tuple(inside[prefix])
        yield replace(document, origin="file", entries=entries, name="")


def _trainings(found: Mapping[_Source, list[ClaimedDocument]]) -> list[_Bundle]:
    """Return each training run of a program with its other calls: two trainers in one file are alternatives."""
    calls = {source: source._replace(part=0) for source in found if source.training}
    joined = set(calls.values())
    return [
        (*claimed, *found.get(calls[source], ())) if source in calls else tuple(claimed)
        for source, claimed in found.items()
        if source not in joined
    ]


def _together(bundles: list[_Bundle], common: list[_Bundle]) -> Iterator[_Bundle]:
    """Yield the runs of a folder; an example in a guide is a run with the files that it names."""
    shown = [bundle for bundle in bundles if _is_shown(bundle)]
    files = [bundle for bundle in bundles if bundle not in shown]
    if files or not shown:
        yield from _of_files(files, common)
    for bundle in shown:
        named = next(_by_name([bundle, *files]))
        yield _unique(_joined(named, common))


def _is_shown(bundle: _Bundle) -> bool:
    """Check whether it comes from a page or a notebook, whose commands are examples."""
    return bundle[0].document.file.endswith(_GUIDES)


def _of_files(bundles: list[_Bundle], common: list[_Bundle]) -> Iterator[_Bundle]:
    """Yield one run of all, or, if some are alternatives, one for each that no other names."""
    everything = [*bundles, *common]
    if everything and not _ambiguous(everything):
        yield _unique(everything)
        return
    ambient = [bundle for bundle in everything if _is_ambient(bundle)]
    for named in _by_name([bundle for bundle in everything if bundle not in ambient]):
        yield _unique(_joined(named, [*common, *ambient]))


def _is_ambient(bundle: _Bundle) -> bool:
    """Check whether it is only environment, which every program sees."""
    return all(claimed.document.origin == "environment" for claimed in bundle)


def _by_name(bundles: list[_Bundle]) -> Iterator[list[_Bundle]]:
    """Yield each bundle that no other names, with the bundles that it names, directly or not."""
    indices = range(len(bundles))
    links = {
        i: [j for j in indices if j != i and _names(bundles[i], bundles[j])]
        for i in indices
    }
    referenced = set(itertools.chain.from_iterable(links.values()))
    for index in indices:
        if index not in referenced:
            yield [bundles[i] for i in _closure(index, links)]


def _joined(parts: list[_Bundle], extras: Iterable[_Bundle]) -> list[_Bundle]:
    """Return some bundles with each of the extras that is unambiguous."""
    for extra in extras:
        if extra not in parts and not _ambiguous([*parts, extra]):
            parts = [*parts, extra]
    return parts


def _ambiguous(bundles: Sequence[_Bundle]) -> bool:
    """Check whether bundles are alternatives: two for the same purpose, or two trainers."""
    purposes: set[tuple[str, str]] = set()
    for bundle in bundles:
        own = {
            (c.system.name, c.document.origin)
            for c in bundle
            if c.document.origin != "environment"
        }
        if own & purposes:
            return True
        purposes |= own
    claims = itertools.chain.from_iterable(bundles)
    trainers = {c.system.name for c in claims if c.system.role == "trainer"}
    return len(trainers) > 1


def _names(bundle: _Bundle, other: _Bundle) -> bool:
    """Check whether a bundle names the file of another."""
    file = os.path.normpath(other[0].document.file)
    return any(
        _refers(text, file) for claimed in bundle for text in _texts(claimed.document)
    )


def _texts(document: Document) -> Iterator[Value]:
    yield document.name
    yield from (entry.value for entry in document.entries)


def _refers(text: Value, file: str) -> bool:
    """Check whether a value is a file's path, or the end of it."""
    if not isinstance(text, str) or os.path.basename(text) != os.path.basename(file):
        return False
    tail = os.path.normpath(text).lstrip("./")
    return file in (text, tail) or file.endswith(os.sep + tail)


def _closure(start: int, links: Mapping[int, list[int]]) -> list[int]:
    found, todo = [start], [start]
    while todo:
        new = [
            target for target in dict.fromkeys(links[todo.pop()]) if target not in found
        ]
        found += new
        todo += new
    return found


def _unique(bundles: Iterable[_Bundle]) -> _Bundle:
    seen: dict[tuple[str, int], ClaimedDocument] = {}
    for claimed in (claimed for bundle in bundles for claimed in bundle):
        seen.setdefault((claimed.system.name, id(claimed.document)), claimed)
    return tuple(seen.values())
