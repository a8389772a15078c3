"""YAML; PyYAML is imported on first use, as its import takes as long as reading a hundred small files."""

from __future__ import annotations

from collections.abc import Iterator

from ..setting import Document, Lines
from .worth import worthwhile

__all__ = ["SUFFIXES", "read", "worthwhile"]

SUFFIXES = (".yaml", ".yml")


def read(lines: Lines, text: str) -> Iterator[Document]:
    """Yield a document for each mapping of the file."""
    from .yaml_nodes import documents

    yield from documents(lines, text)
