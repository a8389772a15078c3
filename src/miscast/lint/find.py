"""Find the files to read: every named file, and in a folder those of a known format."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import filterfalse

from .formats import known

_SKIPPED = {
    "node_modules", "site-packages", "__pycache__", "venv", "env", "build", "dist",
    "wandb", "mlruns", "outputs",
}  # fmt: skip
_NO_SETTINGS = {
    "package.json", "package-lock.json", "tsconfig.json", "tokenizer.json",
    "tokenizer_config.json", "vocab.json", "special_tokens_map.json", "pyproject.toml",
    "poetry.lock", "uv.lock", "mkdocs.yml", ".pre-commit-config.yaml",
    "docker-compose.yml", "docker-compose.yaml", "conftest.py", "setup.py",
    "added_tokens.json", "model_index.json",
}  # fmt: skip
MOST = 50_000


class MissingError(ValueError):
    """A named path does not exist, or is neither a file nor a folder."""


def files(
    paths: Iterable[str],
    *,
    below: bool = True,
    failed: Callable[[OSError], None] | None = None,
) -> Iterator[tuple[str, str]]:
    """Yield (folder, file) for each file, once; the folder is empty if the file itself was named.

    Without `below`, subfolders are skipped. `failed` gets errors of folders.
    """
    seen: set[tuple[int, int]] = set()
    for path in paths:
        if os.path.isdir(path):
            for folder, file in _below(path, below=below, failed=failed):
                if _new(file, seen):
                    yield folder, file
        elif not os.path.exists(path):
            raise MissingError(f"{path}: no such file or folder")
        elif not os.path.isfile(path):
            raise MissingError(f"{path}: neither a file nor a folder")
        elif _new(path, seen):
            yield "", path


def _below(
    top: str, *, below: bool, failed: Callable[[OSError], None] | None
) -> Iterator[tuple[str, str]]:
    """Yield the files below a folder; links to folders are not followed, as they may form a loop."""
    count = 0
    for folder, names, contents in os.walk(top, onerror=failed):
        shown = (name for name in names if below and not name.startswith("."))
        names[:] = sorted(filterfalse(_SKIPPED.__contains__, shown))
        for name in sorted(contents):
            file = os.path.normpath(os.path.join(folder, name))
            if known(file) and name not in _NO_SETTINGS and os.path.isfile(file):
                count += 1
                if count > MOST:
                    raise MissingError(
                        f"{top}: more than {MOST:,} files; name the folders that hold configurations"
                    )
                yield folder, file


def _new(file: str, seen: set[tuple[int, int]]) -> bool:
    status = os.stat(file)
    identity = (status.st_dev, status.st_ino)
    if identity in seen:
        return False
    seen.add(identity)
    return True
