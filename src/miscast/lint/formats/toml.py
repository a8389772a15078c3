"""TOML, with the place of each value: values from the standard library, places from tree-sitter's grammar."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from ...core.regex import regex
from ..setting import Document, Entry, Lines, UnreadableError, Value

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

SUFFIXES = (".toml",)
_DEEPEST = regex(r"(?<![\w'\"-])(?:[\w'\"-]{1,64}[ \t]{0,8}\.[ \t]{0,8}){200}")
"""Most parts of a key: the standard library takes time quadratic in their number."""
_WHERE = regex(r" \(at (?:line (\d{1,9}), column (\d{1,9})|end of document)\)$")


def read(lines: Lines, text: str) -> Iterator[Document]:
    """Yield the document of a TOML file."""
    if found := _DEEPEST.search(text):
        at = lines.at(found.start(), found.start())
        raise UnreadableError("nested too deeply", at.line, at.column)
    text = text.replace("\r\n", "\n")
    _loaded(text)
    root = _parser().parse(text.encode()).root_node
    yield Document(
        origin="file", file=lines.file, entries=tuple(_document(lines, root))
    )


@cache
def _parser() -> Parser:
    import tree_sitter
    import tree_sitter_toml

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_toml.language()))


def _document(lines: Lines, root: Node) -> Iterator[Entry]:
    arrays: dict[tuple[str, ...], int] = {}
    for node in root.named_children:
        prefix: tuple[str, ...] = ()
        if node.type in ("table", "table_array_element"):
            prefix = _key(node.named_children[0])
            if node.type == "table_array_element":
                arrays[prefix] = arrays.get(prefix, -1) + 1
            prefix = _indexed(prefix, arrays)
        for pair in [node] if node.type == "pair" else node.named_children[1:]:
            if pair.type == "pair":
                yield from _pair(lines, prefix, pair)


def _indexed(
    key: tuple[str, ...], arrays: dict[tuple[str, ...], int]
) -> tuple[str, ...]:
    """Return the path with the index of each array of tables in it."""
    path: list[str] = []
    for depth, part in enumerate(key, 1):
        path.append(part)
        if key[:depth] in arrays:
            path.append(str(arrays[key[:depth]]))
    return tuple(path)


def _pair(lines: Lines, prefix: tuple[str, ...], pair: Node) -> Iterator[Entry]:
    name, value = pair.named_children[:2]  # a comment may follow them
    yield from _value(lines, (*prefix, *_key(name)), value)


def _key(node: Node) -> tuple[str, ...]:
    if node.type == "dotted_key":
        return tuple(part for child in node.named_children for part in _key(child))
    text = _text(node)
    return (str(_literal(text)),) if node.type == "quoted_key" else (text,)


def _value(lines: Lines, key: tuple[str, ...], node: Node) -> Iterator[Entry]:
    if node.type == "inline_table":
        for pair in node.named_children:
            if pair.type == "pair":
                yield from _pair(lines, key, pair)
    elif node.type == "array":
        items = [child for child in node.named_children if child.type != "comment"]
        for index, item in enumerate(items):
            yield from _value(lines, (*key, str(index)), item)
    else:
        text = _text(node)
        row, column = node.start_point
        end = node.end_point[1] if node.end_point[0] == row else 0
        yield Entry(
            key=key, value=_literal(text), text=text, at=lines.bytes(row, column, end)
        )


def _loaded(text: str) -> dict[str, Any]:
    """Return the values as Python reads them; the library is imported on first use."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib  # type: ignore[import-not-found,unused-ignore]

    try:
        return dict(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        found = _WHERE.search(str(error))
        line, column = (int(found[1] or 0), int(found[2] or 0)) if found else (0, 0)
        if found and not line:
            line, column = text.count("\n") + 1, len(text) - text.rfind("\n")
        raise UnreadableError(_WHERE.sub("", str(error)), line, column) from None


def _literal(text: str) -> Value:
    value = _loaded(f"x = {text}")["x"]
    return value if isinstance(value, (str, int, float, bool)) else str(value)


def _text(node: Node) -> str:
    return (node.text or b"").decode()
