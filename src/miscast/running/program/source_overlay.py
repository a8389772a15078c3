"""Source files with other contents than the disk's, for whatever this process runs, imports or quotes next.

    with overlaid({"/home/me/train.py": b"…"}):
        run_program("train.py", (), machine)   # runs what is given here; the file stays as it is

Python reads source in three places: `runpy` and the import system by `io.open_code`, `linecache` (so tracebacks,
`inspect` and TorchScript) by `tokenize.open`. The import system prefers cached bytecode, unless a file has no time.
"""

from __future__ import annotations

import _io
import importlib.machinery
import io
import linecache
import os
import tokenize
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

from ..process.patching import Patch, applied

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@contextmanager
def overlaid(files: Mapping[str, bytes]) -> Iterator[None]:
    """Give files, by path, these contents within the block. Modules imported before stay unchanged."""
    contents = {os.path.realpath(path): data for path, data in files.items()}
    open_code, open_text = io.open_code, tokenize.open
    loader = importlib.machinery.SourceFileLoader
    stats = loader.path_stats

    def found(path: Any) -> bytes | None:
        if isinstance(path, (str, os.PathLike)):
            return contents.get(os.path.realpath(path))
        return None

    def code(path: str) -> IO[bytes]:
        data = found(path)
        return open_code(path) if data is None else io.BytesIO(data)

    def text(path: str) -> IO[str]:
        data = found(path)
        if data is None:
            return open_text(path)
        lines = io.BytesIO(data)
        encoding, _ = tokenize.detect_encoding(lines.readline)
        lines.seek(0)
        return io.TextIOWrapper(lines, encoding, line_buffering=True)

    def times(self: Any, path: str) -> Mapping[str, Any]:
        if found(path) is not None:
            raise OSError("no bytecode for modified source")
        return stats(self, path)

    wanted = [
        Patch(io, "open_code", code),
        Patch(_io, "open_code", code),
        Patch(tokenize, "open", text),
        Patch(loader, "path_stats", times),
    ]
    with applied(wanted if contents else []):
        linecache.clearcache()
        try:
            yield
        finally:
            linecache.clearcache()
