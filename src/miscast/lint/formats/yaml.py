"""YAML; PyYAML, which takes as long to import as to read a hundred small files, is imported when there is one."""

from __future__ import annotations

from collections.abc import Iterator

from ..setting import Document, Lines
from .worth import worthwhile

__all__ = ["SUFFIXES", "read", "worthwhile"]

SUFFIXES = (".yaml", ".yml")


def read(lines: Lines, text: str) -> Iterator[Document]:
    """One document for each of the file's that is a mapping."""
    from .yaml_nodes import documents

    yield from documents(lines, text)
