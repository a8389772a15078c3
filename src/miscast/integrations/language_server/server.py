"""The server: it hears what is opened and typed, and tells what is found. One folder is one world, as for `lint`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from ... import __version__
from . import hover
from .diagnostics import action, diagnostic, uri
from .judging import Folder, judged
from .kept import Kept

_CHANGES = (
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_SAVE,
    types.TEXT_DOCUMENT_DID_CLOSE,
)
"""Events after which a folder is checked again."""
_PAUSE = 0.2  # seconds of no typing before a folder is judged again


class Desk:
    """The open documents of the editor, and their diagnostics."""

    def __init__(self, server: LanguageServer, machine: str | None, kept: Kept) -> None:
        self._server, self._machine, self._kept = server, machine, kept
        self._folders: dict[str, Folder] = {}
        self._told: dict[str, set[str]] = {}
        self._turn: dict[str, int] = {}

    async def changed(self, where: str) -> None:
        """Check the folder of a document again, once typing pauses."""
        folder = _folder(where)
        if folder is None:
            return
        turn = self._turn[folder] = self._turn.get(folder, 0) + 1
        await asyncio.sleep(_PAUSE)
        if turn == self._turn[folder]:
            self._judge(folder)

    def folder(self, where: str) -> tuple[Folder, str] | None:
        """Return the known folder of a document, and the document's real path."""
        path = os.path.realpath(to_fs_path(where) or "")
        found = self._folders.get(_folder(where) or "")
        return None if found is None else (found, path)

    def lines(self, file: str) -> Sequence[str]:
        """Return a file's lines as they are in the editor, else on disk."""
        text = self._open().get(os.path.realpath(file))
        if text is None:
            try:
                with open(file, "rb") as stream:
                    text = stream.read()
            except OSError:
                return ()
        return text.decode("utf-8", "replace").splitlines()

    def _open(self) -> dict[str, bytes]:
        documents = self._server.workspace.text_documents.values()
        return {
            os.path.realpath(one.path): one.source.encode("utf-8", "surrogatepass")
            for one in documents
            if one.uri.startswith("file:")
        }

    def _judge(self, path: str) -> None:
        unsaved = self._open()
        folder = self._folders[path] = judged(path, unsaved, self._machine)
        found = {
            file: [diagnostic(one, self.lines) for one in findings]
            for file, findings in folder.findings().items()
        }
        for file in unsaved:
            if os.path.dirname(file) == path:
                kept = self._kept.findings(file, self.lines)
                found.setdefault(file, []).extend(
                    diagnostic(one, self.lines) for one in kept
                )
        for broken in folder.outcome.broken:
            found.setdefault(os.path.realpath(broken.file), [])
        before = self._told.get(path, set())
        self._told[path] = set(found)
        for file in {*found, *before}:
            self._server.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(
                    uri=uri(file), diagnostics=found.get(file, [])
                )
            )


def _folder(where: str) -> str | None:
    """Return the folder of a document by its URI; None for one that is in no file."""
    path = to_fs_path(where) if where.startswith("file:") else None
    return os.path.dirname(os.path.realpath(path)) if path else None


def server(machine: str | None, report: str | None) -> LanguageServer:
    """Return a server that has not started.

    `report` is a file in which `check --format json --output` keeps its findings.
    """
    made = LanguageServer("miscast", __version__)
    desk = Desk(made, machine, Kept(report))

    async def changed(params: Any) -> None:
        await desk.changed(params.text_document.uri)

    for event in _CHANGES:
        made.feature(event)(changed)

    @made.feature(types.TEXT_DOCUMENT_HOVER)
    def over(params: types.HoverParams) -> types.Hover | None:
        known = desk.folder(params.text_document.uri)
        told = hover.text(*known, params.position.line + 1) if known else ""
        content = types.MarkupContent(kind=types.MarkupKind.Markdown, value=told)
        return types.Hover(contents=content) if told else None

    @made.feature(types.TEXT_DOCUMENT_CODE_ACTION)
    def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        known = desk.folder(params.text_document.uri)
        if known is None:
            return []
        folder, file = known
        lines = range(params.range.start.line + 1, params.range.end.line + 2)
        offered = [
            action(one, folder.fixes(one).items(), desk.lines)
            for one in folder.findings().get(file, [])
            if one.location.line in lines
        ]
        return [one for one in offered if one is not None]

    return made
