"""Shell scripts and dotenv files: what they set and what they start, with the place of each word; nothing is executed.

    export MIXED_PRECISION="bf16"                          an environment entry
    EXTRA="--gradient_precision=fp32"                      … that also holds arguments
    accelerate launch --mixed_precision fp16 train.py $EXTRA   two commands: the launcher's, and the script's

tree-sitter's bash grammar finds the words. A variable takes the value that the file gave it before, wherever its words
then stand; one that the file does not set stays unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from ..setting import Document, Entry, Lines, Place, Unknown, UnreadableError
from .words import Word, options, programs, split

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

SUFFIXES = (".sh", ".bash", ".env", ".slurm", ".sbatch")
_LITERAL = ("word", "number", "string_content", "raw_string", "test_operator", "variable_name", "special_variable_name")
_DEEPEST = 300
_LONGEST = 50_000
"""Characters of a variable at most: one that is doubled line by line would fill the memory."""


def read(lines: Lines, text: str) -> Iterator[Document]:
    """The environment that the file sets, then each command that starts a program."""
    text = text.replace("\r\n", "\n")
    lines = Lines(lines.file, text)
    root = _parser().parse(text.encode()).root_node
    if root.has_error and lines.file.endswith("env"):
        _refuse(root)
    shell = _Shell(lines, text)
    for index, command in enumerate(shell.commands(root)):
        for name, at, words in programs(command):
            entries = tuple(options(words))
            yield Document(origin="command", file=lines.file, entries=entries, name=name, at=at, group=index + 1)
    if shell.environment:
        yield Document(origin="environment", file=lines.file, entries=tuple(shell.environment))


@cache
def _parser() -> Parser:
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


def _refuse(root: Node) -> None:
    """A dotenv file has nothing but assignments: what the grammar cannot read there is a mistake."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.is_missing or node.type == "ERROR":
            row, column = node.start_point
            what = f"a missing {node.type}" if node.is_missing else f"unexpected {_text(node)[:20]!r}"
            raise UnreadableError(f"not a shell assignment: {what}", row + 1, column + 1)
        stack.extend(child for child in node.children if child.has_error or child.is_missing)


class _Shell:
    """What a script has assigned so far."""

    def __init__(self, lines: Lines, text: str) -> None:
        self._lines, self._raw = lines, text.encode()
        self._ascii = text.isascii()
        self._values: dict[str, list[Word]] = {}
        self.environment: list[Entry] = []

    def commands(self, root: Node) -> Iterator[list[Word]]:
        """The words of each command, in the file's order."""
        stack = [(root, 0)]
        while stack:
            node, depth = stack.pop()
            if depth > _DEEPEST:
                raise UnreadableError("nested too deeply", node.start_point[0] + 1, node.start_point[1] + 1)
            if node.type == "variable_assignment":
                self._assign(node)
            elif node.type == "command":
                words = [word for child in node.named_children for word in self._part(child)]
                if words:
                    yield words
            else:
                stack.extend((child, depth + 1) for child in reversed(node.named_children))

    def _part(self, node: Node) -> list[Word]:
        if node.type == "variable_assignment":  # FOO=1 program: for this program alone, which is what is looked at
            self._assign(node)
            return []
        return self._words(node)

    def _assign(self, node: Node) -> None:
        named = node.named_children
        name = _text(named[0])
        value = named[-1] if len(named) > 1 else None
        if value is not None and value.type == "array":
            words = [word for child in value.named_children if child.type != "comment" for word in self._words(child)]
        else:
            words = [] if value is None else self._words(value, whole=True)
        if any(child.type == "+=" for child in node.children):
            words = [*self._values.get(name, []), *words]
        if sum(len(word.text) + 1 for word in words) > _LONGEST:
            words = [Word(text=f"${name}", at=self._place(node), known=False)]
        self._values[name] = words
        if len(words) == 1:
            word = words[0]
            known = word.text if word.known else Unknown(text=word.text)
            self.environment.append(Entry(key=(name,), value=known, text=word.text, at=word.at, marks=word.marks))
        elif not words:
            self.environment.append(Entry(key=(name,), value="", text="", at=self._place(node)))

    def _words(self, node: Node, *, whole: bool = False) -> list[Word]:
        """The words that a node stands for; an unquoted variable may hold several. `whole`: never split."""
        if node.type == "command_name":
            return [word for child in node.named_children for word in self._words(child)]
        if node.type in ("simple_expansion", "expansion"):
            return self._expanded(node, whole=whole)
        if node.type == "string":
            inner = [child for child in node.named_children if child.type != "string_content"]
            if len(inner) == 1 and len(node.named_children) == 1 and _is_array(inner[0]):
                return self._expanded(inner[0], whole=True)
        if node.type in ("file_redirect", "heredoc_redirect", "comment"):
            return []
        return [self._joined(node)]

    def _expanded(self, node: Node, *, whole: bool) -> list[Word]:
        held = self._values.get(_variable(node))
        if held is None:
            default = _default(node)
            if default is not None:
                return [Word(text=default, at=self._place(node))]
            return [Word(text=_text(node), at=self._place(node), known=False)]
        if whole:
            return held
        return [part for word in held for part in split(word)]

    def _joined(self, node: Node) -> Word:
        """One word of a node's pieces; its place is that of the node, without quotes."""
        text, known, inner = self._flat(node, 0)
        place = self._place(node)
        if node.type in ("string", "raw_string") and place.end:
            place = self._lines.place(place.line - 1, place.column, max(place.end - place.column - 2, 0))
        alone = inner[0].at if len(inner) == 1 and inner[0].text == text else place
        marks = tuple(self._marks(node)) if node.type == "string" and any(char.isspace() for char in text) else ()
        return Word(text=text, at=alone, known=known, marks=marks)

    def _flat(self, node: Node, depth: int) -> tuple[str, bool, list[Word]]:
        if node.type in ("simple_expansion", "expansion"):
            words = self._expanded(node, whole=True)
            return " ".join(word.text for word in words), all(word.known for word in words), words
        if node.type == "raw_string":
            return _text(node)[1:-1], True, []
        if node.type in ("string", "concatenation") and depth < 20:
            if node.type == "string":
                pieces = [self._piece(part, depth) for part in self._parts(node)]
            else:
                pieces = [self._flat(child, depth + 1) for child in node.named_children]
            text = "".join(piece[0] for piece in pieces)
            return text, all(piece[1] for piece in pieces), [w for piece in pieces for w in piece[2]]
        text = _text(node)
        if node.type in _LITERAL:
            return re.sub(r"\\(.)", r"\1", text) if node.type == "word" else text, True, []
        return text, False, []

    def _parts(self, node: Node) -> Iterator[Node | tuple[int, int]]:
        """A string's variables, and the bytes between them: the grammar has no node for blanks."""
        at = node.start_byte + 1
        for child in node.named_children:
            if child.type != "string_content":
                if child.start_byte > at:
                    yield at, child.start_byte
                yield child
                at = child.end_byte
        if node.end_byte - 1 > at:
            yield at, node.end_byte - 1

    def _piece(self, part: Node | tuple[int, int], depth: int) -> tuple[str, bool, list[Word]]:
        if not isinstance(part, tuple):
            return self._flat(part, depth + 1)
        return self._raw[part[0] : part[1]].decode(errors="replace").replace("\\\n", "  "), True, []

    def _marks(self, node: Node) -> Iterator[tuple[int, Place]]:
        """Where each line's share of a string begins; what a variable holds stands where it was given."""
        offset = 0
        for part in self._parts(node):
            text, _, held = self._piece(part, 0)
            if isinstance(part, tuple):
                start = part[0] if self._ascii else len(self._raw[: part[0]].decode(errors="replace"))
                for line in self._raw[part[0] : part[1]].decode(errors="replace").splitlines(keepends=True):
                    at = self._lines.at(start, start)
                    yield offset, Place(file=at.file, line=at.line, column=at.column, end=0, code=at.code)
                    offset, start = offset + len(line), start + len(line)
            elif len(held) == 1 and held[0].marks and held[0].text == text:
                yield from ((offset + inner, place) for inner, place in held[0].marks)
                offset += len(text)
            else:
                yield offset, held[0].at if held else self._place(part)
                offset += len(text)

    def _place(self, node: Node) -> Place:
        (row, column), (last, end) = node.start_point, node.end_point
        return self._lines.bytes(row, column, end if row == last else 0)


def _is_array(node: Node) -> bool:
    return node.type == "expansion" and any(child.type == "subscript" for child in node.named_children)


def _variable(node: Node) -> str:
    first = node.named_children[0] if node.named_children else None
    while first is not None and first.type == "subscript":
        first = first.named_children[0]
    return _text(first) if first is not None else ""


def _default(node: Node) -> str | None:
    """What `${VAR:-value}` falls back to."""
    text = _text(node)
    name, dash, value = text[2:-1].partition(":-")
    return value if dash and name.isidentifier() and "$" not in value else None


def _text(node: Node) -> str:
    return (node.text or b"").decode(errors="replace")
