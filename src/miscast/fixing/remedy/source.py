"""A file of the user's program as a syntax tree that keeps every space and comment, found by line.

source = Source.read("train.py")
call, = source.calls(81, "ones")
source.with_node(call, changed)        # the file's new bytes: encoding, line ends and byte order mark as they were
"""

from __future__ import annotations

import ast
import codecs
import linecache
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import TypeVar

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from .diffs import ends
from .nodes import called, dotted, held_by

_BLOCKS = (cst.BaseCompoundStatement, cst.ExceptHandler, cst.Else, cst.Finally)
_LINES = re.compile(r"(?<=\n)|(?<=\r)(?!\n)")
N = TypeVar("N", bound=cst.CSTNode)


class UnreadableError(Exception):
    """The file cannot be read or parsed; the message is one line."""


@dataclass(frozen=True)
class Source:
    """One file: `path` as the program's frames name it, and its bytes."""

    path: str
    data: bytes

    is_file: bool = True
    """False: a cell of a notebook, which nobody can write to."""

    @classmethod
    def read(cls, path: str) -> Source:
        """Read a file, or the cell of a notebook. Raises UnreadableError."""
        try:
            lines = "".join(linecache.getlines(path))
            if lines and not os.path.exists(path):
                source = cls(path, lines.encode(), is_file=False)
            else:
                with open(path, "rb") as file:
                    source = cls(path, file.read())
            source = parsed_once(source)
            source.tree  # noqa: B018 - parsed now, where its failing can be told
        except (OSError, ValueError, RecursionError, cst.ParserSyntaxError) as error:
            raise UnreadableError(
                f"{path} cannot be read: {type(error).__name__}"
            ) from error
        return source

    @cached_property
    def _wrapper(self) -> MetadataWrapper:
        return MetadataWrapper(cst.parse_module(self.data), unsafe_skip_copy=True)

    @property
    def tree(self) -> cst.Module:
        """The syntax tree."""
        return self._wrapper.module

    @cached_property
    def plain(self) -> ast.Module:
        """The tree as Python's own parser makes it, without spaces and comments."""
        return ast.parse(self.data)

    @cached_property
    def positions(self) -> Mapping[cst.CSTNode, CodeRange]:
        """The start and end of each node."""
        return self._wrapper.resolve(PositionProvider)

    @cached_property
    def parents(self) -> Mapping[cst.CSTNode, cst.CSTNode]:
        """The parent of each node, found without a visitor, which takes three times as long."""
        found: dict[cst.CSTNode, cst.CSTNode] = {}
        todo: list[cst.CSTNode] = [self.tree]
        for node in todo:
            children = list(held_by(node))
            found |= dict.fromkeys(children, node)
            todo += children
        return found

    @cached_property
    def nodes(self) -> Sequence[cst.CSTNode]:
        """All nodes that have a position, outer ones first."""
        return tuple(self.positions)

    @cached_property
    def _by_kind(self) -> Mapping[type[cst.CSTNode], list[cst.CSTNode]]:
        found: dict[type[cst.CSTNode], list[cst.CSTNode]] = {}
        for node in self.nodes:
            found.setdefault(type(node), []).append(node)
        return found

    def of(self, kind: type[N]) -> Sequence[N]:
        """Return nodes of exactly this kind."""
        return self._by_kind.get(kind, [])  # type: ignore[return-value] # they are of that kind

    def values(self, node: cst.CSTNode, name: str) -> Sequence[cst.BaseExpression]:
        """Return what the function around a node, or the file, assigns to a name."""
        return self._values.get((self.function(node), name), ())

    @cached_property
    def _values(
        self,
    ) -> Mapping[tuple[cst.FunctionDef | None, str], list[cst.BaseExpression]]:
        found: dict[tuple[cst.FunctionDef | None, str], list[cst.BaseExpression]] = {}
        for one in self.of(cst.Assign):
            own = self.function(one)
            for name in {dotted(target.target) for target in one.targets}:
                found.setdefault((own, name), []).append(one.value)
        return found

    def targets(self, node: cst.CSTNode) -> Sequence[tuple[int, str]]:
        """Return the lines and the names that the function around a node, or the file, sets."""
        return self._targets.get(self.function(node), ())

    @cached_property
    def _targets(self) -> Mapping[cst.FunctionDef | None, list[tuple[int, str]]]:
        found: dict[cst.FunctionDef | None, list[tuple[int, str]]] = {}
        for one in self.of(cst.AssignTarget):
            setting = self.line(one), dotted(one.target)
            found.setdefault(self.function(one), []).append(setting)
        return found

    @cached_property
    def spelled(self) -> Mapping[str, Sequence[cst.BaseExpression]]:
        """The chains of names, by how they are written: "self.scale"."""
        found: dict[str, list[cst.BaseExpression]] = {}
        for node in (*self.of(cst.Name), *self.of(cst.Attribute)):
            found.setdefault(dotted(node), []).append(node)
        return found

    @cached_property
    def defined(self) -> Mapping[str, cst.FunctionDef]:
        """The first function or method of each name."""
        return {one.name.value: one for one in reversed(self.of(cst.FunctionDef))}

    @property
    def name(self) -> str:
        """The file's name without its folders."""
        return os.path.basename(self.path)

    def line(self, node: cst.CSTNode) -> int:
        """Return the line where a node starts."""
        return self.positions[node].start.line

    def text(self, node: cst.CSTNode) -> str:
        """Return a node's source, on one line."""
        return " ".join(self.tree.code_for_node(node).split())

    def statement(self, line: int) -> cst.CSTNode | None:
        """Return the innermost statement that covers a line: a simple one, or one with its header there."""
        return self._statements.get(line)

    @cached_property
    def _statements(self) -> Mapping[int, cst.CSTNode]:
        """The innermost statement of each line."""
        found: dict[int, cst.CSTNode] = {}
        kinds = (cst.SimpleStatementLine, cst.SimpleStatementSuite, *_BLOCKS)
        # asked of each kind once: that a node is one of an abstract kind takes long
        statements = {kind for kind in self._by_kind if issubclass(kind, kinds)}
        for node, span in self.positions.items():
            if type(node) in statements:
                for line in range(span.start.line, span.end.line + 1):
                    if line not in found or self._inside(node, found[line]):
                        found[line] = node
        return found

    def expressions(self, line: int) -> Iterator[cst.BaseExpression]:
        """Yield the expressions of the statement on a line, outer ones first. Of a block, those of its header.

        In a statement over several lines, those that start on the line come first.
        """
        statement = self.statement(line)
        if statement is None:
            return
        own = list(self._own(statement))
        yield from (node for node in own if self.line(node) == line)
        yield from (node for node in own if self.line(node) != line)

    def calls(self, line: int, name: str) -> Iterator[cst.Call]:
        """Yield the calls of a function or method of that name that a line has a part of."""
        for node in self.expressions(line):
            if isinstance(node, cst.Call) and called(node) == name:
                yield from (node,) if self.covers(node, line) else ()

    def covers(self, node: cst.CSTNode, line: int) -> bool:
        """Check whether a node has a part on a line."""
        span = self.positions[node]
        return span.start.line <= line <= span.end.line

    def function(self, node: cst.CSTNode) -> cst.FunctionDef | None:
        """Return the function around a node."""
        known = self._functions
        if node not in known:
            above = self.parents.get(node)
            if above is None or isinstance(above, cst.FunctionDef):
                known[node] = above
            else:
                known[node] = self.function(above)
        return known[node]

    @cached_property
    def _functions(self) -> dict[cst.CSTNode, cst.FunctionDef | None]:
        return {}

    def above(self, node: cst.CSTNode, kind: type[N]) -> N | None:
        """Return the innermost node of a kind around a node."""
        return next((n for n in self.around(node) if isinstance(n, kind)), None)

    def around(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """Yield the nodes around a node, innermost first."""
        here = self.parents.get(node)
        while here is not None:
            yield here
            here = self.parents.get(here)

    def imported(self, module: str) -> str | None:
        """Return the file's name of an imported module: "torch"."""
        for node in self.nodes:
            if isinstance(node, cst.Import):
                for alias in node.names:
                    if dotted(alias.name) == module:
                        return dotted(alias.asname.name) if alias.asname else module
        return None

    def bound(self, name: str) -> bool:
        """Check whether the file imports something under that name."""
        names = (
            a.asname.name if a.asname else a.name for a in self.of(cst.ImportAlias)
        )
        return any(dotted(one) == name for one in names)

    def with_node(self, old: cst.CSTNode, new: cst.CSTNode) -> bytes | None:
        """Return the file with a node replaced; None if that is no program."""
        begin, end = self._span(old)
        # far cheaper than to write out the whole tree
        if self._text[begin:end] == self.tree.code_for_node(old):
            return self.with_nodes((old, new))
        try:
            tree = self.tree.deep_replace(old, new)
        except (cst.CSTValidationError, TypeError):
            return None
        return self._valid(tree.code) if isinstance(tree, cst.Module) else None

    def with_nodes(self, *pairs: tuple[cst.CSTNode, cst.CSTNode]) -> bytes | None:
        """Return the file with expressions replaced that are not within each other."""
        text = self._text
        for old, new in sorted(
            pairs, key=lambda pair: self._span(pair[0]), reverse=True
        ):
            begin, end = self._span(old)
            text = text[:begin] + self.tree.code_for_node(new) + text[end:]
        return self._valid(text)

    def _span(self, node: cst.CSTNode) -> tuple[int, int]:
        """Return where the code of a node begins and ends in the text."""
        span = self.positions[node]
        begin, end = (
            self._begins[at.line - 1] + at.column for at in (span.start, span.end)
        )
        return begin, end

    @cached_property
    def _begins(self) -> Sequence[int]:
        return list(accumulate(map(len, self._lines), initial=0))

    def under(
        self, statement: cst.SimpleStatementLine, inner: cst.CSTNode, region: str
    ) -> bytes | None:
        """Return the file with `inner` in place of a statement, under `with region:`."""
        line = cst.ensure_type(inner, cst.SimpleStatementLine)
        block = cst.With(
            items=[cst.WithItem(cst.parse_expression(region))],
            body=cst.IndentedBlock([line.with_changes(leading_lines=())]),
            leading_lines=statement.leading_lines,
        )
        return self.with_node(statement, block)

    def without(self, statement: cst.SimpleStatementLine) -> bytes | None:
        """Return the file without a statement. `pass` replaces it in an otherwise empty block."""
        block = self.parents[statement]
        if isinstance(block, cst.IndentedBlock) and len(block.body) == 1:
            return self.with_node(statement, statement.with_changes(body=[cst.Pass()]))
        tree = self.tree.deep_remove(statement)
        return self._valid(tree.code) if isinstance(tree, cst.Module) else None

    def after(self, statement: cst.CSTNode, text: str) -> bytes | None:
        """Return the file with a line added after a statement, or as the first line in a block."""
        inner = getattr(statement, "body", None)
        lines = list(self._lines)
        if isinstance(inner, cst.IndentedBlock) and inner.body:
            first = self.line(inner.body[0])
            lines.insert(first - 1, self._indented(first, text))
        else:
            span = self.positions[statement]
            if not lines[span.end.line - 1].endswith(("\n", "\r")):
                lines[span.end.line - 1] += self.tree.default_newline
            lines.insert(span.end.line, self._indented(span.start.line, text))
        return self._valid("".join(lines))

    def before(self, line: int, text: str) -> bytes | None:
        """Return the file with a line inserted before one, as deep as it."""
        lines = list(self._lines)
        lines.insert(line - 1, self._indented(line, text))
        return self._valid("".join(lines))

    def _indented(self, line: int, text: str) -> str:
        model = self._lines[line - 1]
        indent = model[: len(model) - len(model.lstrip())]
        return indent + text + self.tree.default_newline

    @cached_property
    def _text(self) -> str:
        return self.tree.code

    @cached_property
    def _lines(self) -> Sequence[str]:
        return _LINES.split(self._text)

    def _valid(self, text: str) -> bytes | None:
        data = codecs.BOM_UTF8 if self.data.startswith(codecs.BOM_UTF8) else b""
        encoding = self.tree.encoding.removesuffix("-sig")
        try:
            data += text.removeprefix("\ufeff").encode(encoding)
            ast.parse(self._changed(text))
        except (SyntaxError, ValueError):
            return None
        return data

    def _changed(self, text: str) -> str:
        """Return the statements of the file that differ in a changed text, with their neighbours: they must parse."""
        lines = _LINES.split(text)
        same, back = ends(self._lines, lines)
        first = max((at for at in self._starts if at < same), default=0)
        last = len(self._lines) - back
        after = [at for at in self._starts if at >= last][1:2] or [len(self._lines)]
        return "".join(lines[first : len(lines) - len(self._lines) + after[0]])

    @cached_property
    def _starts(self) -> Sequence[int]:
        """The lines before each statement of the file, decorators included."""
        firsts = ((*getattr(one, "decorators", ()), one)[0] for one in self.tree.body)
        return [self.line(one) - 1 for one in firsts]

    def _inside(self, node: cst.CSTNode, outer: cst.CSTNode) -> bool:
        return any(above is outer for above in self.around(node))

    def _own(self, statement: cst.CSTNode) -> Iterator[cst.BaseExpression]:
        """Yield the expressions of a statement that are not in its block."""
        todo: list[cst.CSTNode] = [statement]
        while todo:
            node = todo.pop(0)
            if isinstance(node, cst.BaseExpression) and node in self.positions:
                yield node
            blocks = (cst.BaseSuite, *_BLOCKS)
            todo += [one for one in node.children if not isinstance(one, blocks)]


@lru_cache(maxsize=16)
def parsed_once(source: Source) -> Source:
    """Return the first of equal sources: it has its tree, and all that was looked up in it."""
    return source
