"""Files -> their suppressing comments, read by each language's own parser: the text in a string is no comment.

    >>> [(one.line, one.rules) for one in comments("train.py", known)]
    [(12, ('operand-dtype-mismatch',))]

Python is read by tokenize, YAML by PyYAML's scanner, TOML and shell by tree-sitter. A file that cannot be read, or is
broken, has the comments up to there.
"""

from __future__ import annotations

import io
import os
import tokenize
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress

from .comment import Comment, read
from .marked import marked_text

_Found = tuple[str, int, tuple[int, int]]
"""The text of a comment, its line, and the lines of the statement that it stands beside."""


def comments(file: str, known: Collection[str]) -> tuple[Comment, ...]:
    """Return the comments of a file; `known` are all rule ids."""
    reader = _reader(file)
    raw = marked_text(file)
    if reader is None or raw is None:
        return ()
    text = raw.decode("utf-8", "replace").replace("\r\n", "\n")
    found = (read(said, file, line, lines, known) for said, line, lines in reader(text))
    return tuple(one for one in found if one is not None)


def _reader(file: str) -> Callable[[str], Iterator[_Found]] | None:
    name = os.path.basename(file).lower()
    if name == ".env" or ".env." in name:
        return _shell
    return _READERS.get(os.path.splitext(name)[1])


def _python(text: str) -> Iterator[_Found]:
    """Yield the comments of Python; one within a statement, or after it, covers all its lines."""
    held: list[tuple[str, int]] = []
    start = 0
    with suppress(tokenize.TokenError, SyntaxError):
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                held.append((token.string, token.start[0]))
            elif token.type == tokenize.NEWLINE:
                yield from ((said, at, (start, token.start[0])) for said, at in held)
                held, start = [], 0
            elif token.type == tokenize.NL and not start:
                yield from ((said, at, (at, at)) for said, at in held)
                held = []
            elif token.type not in _LAYOUT and not start:
                start = token.start[0]


_LAYOUT = (tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)


def _yaml(text: str) -> Iterator[_Found]:
    """Yield what lies between tokens is white space and comments; a block's head has one within its token."""
    import yaml

    end = 0
    try:
        for token in yaml.scan(text, Loader=yaml.SafeLoader):
            begin = token.start_mark.index
            yield from _between(text, end, begin)
            end = max(end, token.end_mark.index)
            if getattr(token, "style", None) in ("|", ">"):
                yield from _between(text, begin, text.find("\n", begin))
    except yaml.YAMLError:
        return
    yield from _between(text, end, len(text))


def _between(text: str, begin: int, end: int) -> Iterator[_Found]:
    at = begin
    while (at := text.find("#", at, end)) >= 0:
        stop = text.find("\n", at)
        stop = len(text) if stop < 0 else stop
        line = text.count("\n", 0, at) + 1
        yield text[at:stop], line, (line, line)
        at = stop


def _toml(text: str) -> Iterator[_Found]:
    import tree_sitter_toml

    yield from _by_grammar(text, tree_sitter_toml.language())


def _shell(text: str) -> Iterator[_Found]:
    import tree_sitter_bash

    yield from _by_grammar(text, tree_sitter_bash.language())


def _by_grammar(text: str, language: object) -> Iterator[_Found]:
    """Yield the comments of a grammar; one after a command, or a value, of several lines covers all of them."""
    import tree_sitter

    parser = tree_sitter.Parser(tree_sitter.Language(language))
    nodes = [parser.parse(text.encode("utf-8", "replace")).root_node]
    while nodes:
        node = nodes.pop()
        nodes += reversed(node.children)
        if node.type == "comment" and node.text is not None:
            line = node.start_point[0] + 1
            before = node.prev_named_sibling
            beside = before is not None and before.end_point[0] + 1 == line
            first = before.start_point[0] + 1 if before and beside else line
            yield node.text.decode("utf-8", "replace"), line, (first, line)


_READERS = {
    ".py": _python, ".yaml": _yaml, ".yml": _yaml, ".toml": _toml,
    **dict.fromkeys((".sh", ".bash", ".slurm", ".sbatch", ".env"), _shell),
}  # fmt: skip
