"""Answers of trials that are known again: the same job, and every file that the run read as it was for that run.

Of each finding, what mended it is kept too: it is tried first once the program has changed elsewhere.

What a trial expects only decides at which call it ends: once a user has applied a fix, its trial is known.
Of a Python file the syntax tree with its positions counts: a comment behind a line changes nothing. Answers are kept in
a folder, which forks of a process share.
"""

from __future__ import annotations

import ast
import json
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ...core.atomic_write import write_atomically
from ...running.program.files_read import contents, digest, modules_in, names
from .expected import Expected, is_expected

_OF_THE_ASKING = (
    "id", "files", "written", "limit", "loud", "said", "read", "expected",
)  # fmt: skip
"""Parts of a request that do not name what is run; files and expected calls are looked at one by one."""


@dataclass(slots=True)
class Remembered:
    """Answers in a folder; without one ("") nothing is kept."""

    folder: str = ""
    _asked: dict[int, tuple[dict[str, Any], str, int]] = field(default_factory=dict)

    def mended(
        self, job: Mapping[str, Any], fixes: Mapping[str, str]
    ) -> dict[str, str]:
        """Return the titles of what mended a job's findings, by what they are, with these added for later runs."""
        known = {**fixes}
        if not self.folder:
            return known
        name = digest(json.dumps(job, sort_keys=True).encode())
        path = os.path.join(self.folder, f"mended-{name}.json")
        with suppress(FileNotFoundError), open(path, encoding="utf-8") as file:
            known = json.load(file) | known
        if fixes:
            write_atomically(path, json.dumps(known).encode())
        return known

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the stored answer if a request's run would read the same as an earlier one; None if it must run."""
        if not self.folder:
            return None
        given = _given(request)
        with suppress(FileNotFoundError):
            for name in os.listdir(self._place(request)):
                with open(os.path.join(self._place(request), name), "rb") as file:
                    known = json.load(file)
                if _ends_there(known["answer"], request.get("expected")) and all(
                    mark == (given.get(path) or _of_file(path))
                    for path, mark in known["files"].items()
                ):
                    return {**known["answer"], "id": request["id"]}
        return None

    def asked(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the request as it is sent: with a file for the paths that its run reads."""
        if not self.folder:
            return request
        read = os.path.join(self.folder, f"{os.getpid()}-{request['id']}.read")
        with open(read, "wb"):
            self._asked[request["id"]] = request, read, time.time_ns()
        return {**request, "read": read}

    def keep(self, answers: Iterable[Mapping[str, Any]]) -> None:
        """Keep what runs have answered, but for one that read a file which has changed since it began."""
        for answer in answers if self.folder else ():
            request, told, begin = self._asked.pop(answer["id"])
            read = names(told)
            os.unlink(told)
            failed = {"failed", "cannot"} & answer.keys()
            if not failed and not any(_is_newer(path, begin) for path in read):
                self._keep(request, read, answer)

    def _keep(
        self, request: Mapping[str, Any], read: set[str], answer: Mapping[str, Any]
    ) -> None:
        given = _given(request)
        read |= {os.path.join(os.path.dirname(path), "") for path in (*read, *given)}
        files = {**{path: _of_file(path) for path in read}, **given}
        os.makedirs(self._place(request), exist_ok=True)
        run = files, answer.get("met"), "stopped" in answer
        name = digest(json.dumps(run, sort_keys=True).encode())
        data = json.dumps({"files": files, "answer": answer}).encode()
        write_atomically(os.path.join(self._place(request), name), data)

    def _place(self, request: Mapping[str, Any]) -> str:
        meant = {
            key: value for key, value in request.items() if key not in _OF_THE_ASKING
        }
        name = digest(json.dumps(meant, sort_keys=True).encode())
        return os.path.join(self.folder, name)


def _ends_there(answer: Mapping[str, Any], expected: Sequence[Expected] | None) -> bool:
    """Check whether the run of this answer would have ended at the same call if these calls were expected."""
    ends = [not is_expected(met, expected) for met in answer.get("met", ())]
    return not ends or (not any(ends[:-1]) and ends[-1] == ("stopped" in answer))


def _given(request: Mapping[str, Any]) -> dict[str, str]:
    """Return the digests of the files that a request overlays on the disk's."""
    parts = (request["files"].items(), request["written"].items())
    texts = ((path, text.encode("latin-1")) for part in parts for path, text in part)
    return {os.path.realpath(path): _mark(path, data) for path, data in texts}


def _of_file(path: str) -> str:
    """Return the digest of a file or, if the path ends with a separator, of the modules in a folder."""
    if path.endswith(os.sep):
        return digest(repr(modules_in(path)).encode(errors="surrogateescape"))
    if path.endswith(".py"):
        with suppress(OSError), open(path, "rb") as file:
            return _mark(path, file.read())
    return contents(path)


def _is_newer(path: str, begin: int) -> bool:
    try:
        return os.stat(path).st_ctime_ns >= begin and not os.path.isdir(path)
    except OSError:
        return False


def _mark(path: str, data: bytes) -> str:
    """Return the digest of a file with these contents."""
    if path.endswith(".py"):
        with suppress(SyntaxError, ValueError, RecursionError):
            tree = ast.dump(ast.parse(data), include_attributes=True)
            return digest(tree.encode(errors="surrogatepass"))
    return digest(data)
