"""YAML, with the place of each value: PyYAML's nodes, with the values of `yaml.safe_load`; no object is created.

Aliases are followed only as far as a configuration may be large; a bomb of anchors or a cycle is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from ..setting import (
    Document,
    Entry,
    Lines,
    TooLargeError,
    Unknown,
    UnreadableError,
    Value,
    interpolated,
)

_MOST = 100_000
_DEEPEST = 60
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MERGE = "tag:yaml.org,2002:merge"
_TRUE = ("yes", "true", "on")


def documents(lines: Lines, text: str) -> Iterator[Document]:
    """Yield a document for each mapping of the file."""
    try:
        for root in yaml.compose_all(text, Loader=_LOADER):
            entries = interpolated(_entries(lines, root))
            if entries:
                yield Document(origin="file", file=lines.file, entries=entries)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = (mark.line + 1, mark.column + 1) if mark else (0, 0)
        raise UnreadableError(
            error.problem or error.context or "not YAML", *where
        ) from None
    except yaml.YAMLError as error:
        raise UnreadableError(" ".join(str(error).split())) from None


def _entries(lines: Lines, root: yaml.Node | None) -> Iterator[Entry]:
    seen = 0
    stack: list[tuple[tuple[str, ...], Any]] = [((), root)]
    while stack:
        key, node = stack.pop()
        seen += 1
        if seen > _MOST or len(key) > _DEEPEST:
            line, column = node.start_mark.line + 1, node.start_mark.column + 1
            raise TooLargeError(
                "too large or recursive once its aliases are followed", line, column
            )
        inner: list[tuple[str, yaml.Node]] = []
        if isinstance(node, yaml.MappingNode):
            inner = [(str(name.value), value) for name, value in _pairs(node)]
        elif isinstance(node, yaml.SequenceNode):
            inner = [(str(index), value) for index, value in enumerate(node.value)]
        elif isinstance(node, yaml.ScalarNode):
            yield _entry(lines, key, node)
        stack.extend(((*key, name), value) for name, value in reversed(inner))


def _pairs(node: yaml.MappingNode) -> list[tuple[yaml.ScalarNode, yaml.Node]]:
    """Yield keys and values; merged ones (`<<`) come first, so that the mapping's own keys replace them."""
    own = [(name, value) for name, value in _scalar_keys(node) if name.tag != _MERGE]
    names = {name.value for name, _ in own}
    merged = [
        pair
        for name, value in _scalar_keys(node)
        if name.tag == _MERGE
        for pair in _merged(value)
    ]
    return [pair for pair in merged if pair[0].value not in names] + own


def _merged(value: yaml.Node) -> Iterator[tuple[yaml.ScalarNode, yaml.Node]]:
    """Yield the mappings of `<<: *one` or `<<: [*one, *two]`."""
    for source in value.value if isinstance(value, yaml.SequenceNode) else [value]:
        if isinstance(source, yaml.MappingNode):
            yield from _scalar_keys(source)


def _scalar_keys(node: yaml.MappingNode) -> Iterator[tuple[yaml.ScalarNode, yaml.Node]]:
    return (
        (name, value) for name, value in node.value if isinstance(name, yaml.ScalarNode)
    )


def _entry(lines: Lines, key: tuple[str, ...], node: yaml.ScalarNode) -> Entry:
    # by offset, as YAML ends lines at more characters than others
    start, end = node.start_mark, node.end_mark
    same_line = end.line == start.line
    place = lines.at(start.index, end.index if same_line else start.index)
    text = place.code[place.column - 1 : place.end - 1] if place.end else node.value
    return Entry(key=key, value=_scalar(node), text=text, at=place)


def _scalar(node: yaml.ScalarNode) -> Value:
    tag, text = node.tag.rpartition(":")[2], node.value
    if "${" in text:
        return Unknown(text=text)
    if tag == "bool":
        return text.lower() in _TRUE
    if tag == "null":
        return None
    try:
        if tag == "int":
            return int(text.replace("_", ""), 0)
        if tag == "float":
            return float(
                text.replace("_", "").replace(".inf", "inf").replace(".nan", "nan")
            )
    except ValueError:
        # octal 0123, sexagesimal 1:30: no precision setting has them
        return str(text)
    return str(text)
