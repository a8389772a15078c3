"""Shell scripts and dotenv files: the variables they set and the commands they start, with the place of each word.

    export MIXED_PRECISION="bf16"                          an environment entry
    EXTRA="--gradient_precision=fp32"                      … that also holds arguments
    accelerate launch --mixed_precision fp16 train.py $EXTRA   two commands: the launcher's, and the script's

tree-sitter's bash grammar finds the words. A variable takes the value that the file gave it before, wherever its words
then stand; one that the file does not set stays unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ...core.frozen import replace
from ..setting import Document, Entry, Lines, Place, UnreadableError
from .words import Word, entry, options, programs, split

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

SUFFIXES = (".sh", ".bash", ".env", ".slurm", ".sbatch")
_LITERAL = (
    "word", "number", "string_content", "raw_string", "test_operator", "variable_name", "special_variable_name",
)  # fmt: skip
_EXPANSIONS = ("simple_expansion", "expansion")
_NO_WORDS = ("file_redirect", "heredoc_redirect", "comment")
_DEEPEST = 300
_NESTED = 20
_MOST = 20_000
"""Most words of a command."""
_LONGEST = 50_000
"""Most characters of a variable: one that is doubled on every line would fill the memory."""


def read(lines: Lines, text: str) -> Iterator[Document]:
    """Yield the environment that the file sets, then each command that starts a program."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = Lines(lines.file, text)
    root = _parser().parse(text.encode()).root_node
    if root.has_error and lines.file.endswith("env"):
        _refuse(root)
    shell = _Shell(lines, text)
    for index, command in enumerate(shell.commands(root)):
        for name, at, words in programs(command):
            entries = tuple(options(words))
            yield Document(
                origin="command",
                file=lines.file,
                entries=entries,
                name=name,
                at=at,
                group=index + 1,
            )
    if shell.environment:
        yield Document(
            origin="environment", file=lines.file, entries=tuple(shell.environment)
        )


@cache
def _parser() -> Parser:
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


def _refuse(root: Node) -> None:
    """Raise for a line of a dotenv file that is no assignment."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.is_missing or node.type == "ERROR":
            row, column = node.start_point
            unexpected = f"unexpected {_text(node)[:20]!r}"
            what = f"a missing {node.type}" if node.is_missing else unexpected
            raise UnreadableError(
                f"not a shell assignment: {what}", row + 1, column + 1
            )
        stack.extend(
            child for child in node.children if child.has_error or child.is_missing
        )


class _Shell:
    """The assignments of a script so far."""

    def __init__(self, lines: Lines, text: str) -> None:
        self._lines, self._raw = lines, text.encode()
        self._ascii = text.isascii()
        self._values: dict[str, list[Word]] = {}
        self.environment: list[Entry] = []

    def commands(self, root: Node) -> Iterator[list[Word]]:
        """Yield the words of each command, in the file's order."""
        stack = [(root, 0)]
        while stack:
            node, depth = stack.pop()
            if depth > _DEEPEST:
                raise UnreadableError(
                    "nested too deeply",
                    node.start_point[0] + 1,
                    node.start_point[1] + 1,
                )
            if node.type == "variable_assignment":
                self._assign(node)
            elif node.type == "command":
                words = self._command(node)
                if words:
                    yield words
            else:
                stack.extend(
                    (child, depth + 1) for child in reversed(node.named_children)
                )

    def _command(self, node: Node) -> list[Word]:
        parts = node.named_children
        if len(parts) > _MOST:
            row, column = node.start_point
            raise UnreadableError(
                f"a command of more than {_MOST:,} words", row + 1, column + 1
            )
        return [word for child in parts for word in self._part(child)]

    def _part(self, node: Node) -> list[Word]:
        # FOO=1 program: for this program alone, which is what is looked at
        if node.type == "variable_assignment":
            self._assign(node)
            return []
        return self._words(node)

    def _assign(self, node: Node) -> None:
        name, *values = node.named_children
        words = self._assigned(
            _text(name),
            values[-1:],
            added=any(child.type == "+=" for child in node.children),
        )
        if sum(len(word.text) + 1 for word in words) > _LONGEST:
            words = [Word(text=f"${_text(name)}", at=self._place(node), known=False)]
        self._values[_text(name)] = words
        self._export(_text(name), words, self._place(node))

    def _assigned(self, name: str, value: list[Node], *, added: bool) -> list[Word]:
        """Set the words of a variable."""
        before = self._values.get(name, []) if added else []
        if not value:
            return before
        if value[0].type != "array":
            return [*before, *self._words(value[0], whole=True)]
        return [
            *before,
            *(word for child in value[0].named_children for word in self._words(child)),
        ]

    def _export(self, name: str, words: list[Word], at: Place) -> None:
        """Return a variable of at most one word, as a program started now would see it."""
        if len(words) < 2:
            word = words[0] if words else Word(text="", at=at)
            made = entry((name,), word)
            self.environment.append(replace(made, marks=word.marks))

    def _words(self, node: Node, *, whole: bool = False) -> list[Word]:
        """Return the words of a node; an unquoted variable may have several. `whole`: never split."""
        if node.type in _NO_WORDS:
            return []
        if node.type == "command_name":
            return [
                word for child in node.named_children for word in self._words(child)
            ]
        if node.type in _EXPANSIONS:
            return self._expanded(node, whole=whole)
        if (
            node.type == "string"
            and len(node.named_children) == 1
            and _is_array(node.named_children[0])
        ):
            return self._expanded(node.named_children[0], whole=True)
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
        """Return the word made of a node's pieces; its place is that of the node, without quotes."""
        text, known, inner = self._flat(node)
        place = self._place(node)
        if node.type in ("string", "raw_string") and place.end:
            place = self._lines.place(
                place.line - 1, place.column, max(place.end - place.column - 2, 0)
            )
        alone = inner[0].at if len(inner) == 1 and inner[0].text == text else place
        several = node.type == "string" and any(char.isspace() for char in text)
        marks = tuple(self._marks(node)) if several else ()
        return Word(text=text, at=alone, known=known, marks=marks)

    def _flat(self, node: Node, depth: int = 0) -> _Piece:
        """Return a node as text, with variables, quotes and escapes resolved."""
        if node.type in _EXPANSIONS:
            words = self._expanded(node, whole=True)
            return _Piece(
                " ".join(word.text for word in words),
                all(word.known for word in words),
                words,
            )
        if node.type == "raw_string":
            return _Piece(_text(node)[1:-1])
        if node.type in ("string", "concatenation") and depth < _NESTED:
            return _concatenated(
                [self._piece(part, depth) for part in self._parts(node)]
            )
        text = (
            re.sub(r"\\(.)", r"\1", _text(node)) if node.type == "word" else _text(node)
        )
        return _Piece(text, node.type in _LITERAL)

    def _parts(self, node: Node) -> Iterator[Node | tuple[int, int]]:
        """Yield the pieces of a word; for a string, the variables and the bytes between them.

        The grammar has no node for a string's blanks.
        """
        if node.type != "string":
            yield from node.named_children
            return
        at = node.start_byte + 1
        for child in node.named_children:
            if child.type != "string_content":
                if child.start_byte > at:
                    yield at, child.start_byte
                yield child
                at = child.end_byte
        if node.end_byte - 1 > at:
            yield at, node.end_byte - 1

    def _piece(self, part: Node | tuple[int, int], depth: int = 0) -> _Piece:
        if not isinstance(part, tuple):
            return self._flat(part, depth + 1)
        return _Piece(self._decoded(*part).replace("\\\n", "  "))

    def _decoded(self, start: int, end: int) -> str:
        return self._raw[start:end].decode(errors="replace")

    def _marks(self, node: Node) -> Iterator[tuple[int, Place]]:
        """Yield where each line of a string begins; a variable's text is where it was assigned."""
        offset = 0
        for part in self._parts(node):
            text, _, held = self._piece(part)
            if isinstance(part, tuple):
                yield from (
                    (offset + inner, place) for inner, place in self._line_starts(*part)
                )
            elif len(held) == 1 and held[0].marks and held[0].text == text:
                yield from ((offset + inner, place) for inner, place in held[0].marks)
            else:
                yield offset, held[0].at if held else self._place(part)
            offset += len(text)

    def _line_starts(self, start: int, end: int) -> Iterator[tuple[int, Place]]:
        """Yield the lines of some bytes: the character at which each begins, and its place in the file."""
        first = start if self._ascii else len(self._decoded(0, start))
        offset = 0
        for line in self._decoded(start, end).splitlines(keepends=True):
            yield offset, replace(self._lines.at(first + offset, first + offset), end=0)
            offset += len(line)

    def _place(self, node: Node) -> Place:
        (row, column), (last, end) = node.start_point, node.end_point
        return self._lines.bytes(row, column, end if row == last else 0)


class _Piece(NamedTuple):
    """Part of a word: its text, whether all of it is known, and the words of its variable."""

    text: str
    known: bool = True
    words: Sequence[Word] = ()


def _concatenated(pieces: list[_Piece]) -> _Piece:
    texts, known, words = zip(*pieces, strict=True) if pieces else ((), (), ())
    return _Piece("".join(texts), all(known), [word for some in words for word in some])


def _is_array(node: Node) -> bool:
    return node.type == "expansion" and any(
        child.type == "subscript" for child in node.named_children
    )


def _variable(node: Node) -> str:
    first = node.named_children[0] if node.named_children else None
    while first is not None and first.type == "subscript":
        first = first.named_children[0]
    return _text(first) if first is not None else ""


def _default(node: Node) -> str | None:
    """Return the fallback of `${VAR:-value}`."""
    text = _text(node)
    name, dash, value = text[2:-1].partition(":-")
    return value if dash and name.isidentifier() and "$" not in value else None


def _text(node: Node) -> str:
    return (node.text or b"").decode(errors="replace")
