"""Markdown: the commands of its shell blocks, with their lines.

```bash
accelerate launch --mixed_precision fp16 train.py     a command as in a script
```
"""

from __future__ import annotations

from collections.abc import Iterator

from ...core.frozen import replace
from ...core.regex import regex
from ..setting import Document, Entry, Lines
from . import shell

SUFFIXES = (".md", ".mdx")
_FENCE = regex(r"[ \t]{0,12}(`{3,12}|~{3,12})[ \t]{0,4}(\w{0,20})")
_PROMPT = regex(r"^([ \t]{0,12})\$(?= )")
_MOST = 10_000
_SHELLS = ("bash", "sh", "shell", "zsh", "console")
_WORDS = ("fp16", "bf16", "fp8", "precision", "dtype", "half", "float16")


def worthwhile(text: str) -> bool:
    """Check whether a page that was not named may have a command that sets a precision."""
    return any(f"```{name}" in text for name in _SHELLS) and any(
        word in text for word in _WORDS
    )


def read(lines: Lines, text: str) -> Iterator[Document]:
    """Yield the commands of the shell blocks; each block is a script."""
    written = text.splitlines()
    for first, block in _blocks(written):
        for document in shell.read(lines, block):
            if document.origin == "command":
                entries = tuple(
                    _as_written(entry, written) for entry in document.entries
                )
                # a launcher and its script have one number, which no other block has
                group = first * _MOST + document.group
                yield replace(document, entries=entries, group=group)


def _as_written(entry: Entry, written: list[str]) -> Entry:
    """Return an entry of the page; after a prompt, its line differs from the one that was read, and is not replaced."""
    code = written[entry.at.line - 1]
    at = entry.at
    return (
        entry if at.code == code else replace(entry, at=replace(at, code=code, end=0))
    )


def _blocks(written: list[str]) -> Iterator[tuple[int, str]]:
    """Yield the first line of each shell block, and a text with the block at its own lines."""
    fence, first = "", 0
    for number, line in enumerate(written):
        found = _FENCE.match(line)
        if found is None:
            continue
        if not fence:
            fence, first = found[1], number + 1
            known = found[2].lower() in _SHELLS
        elif found[1].startswith(fence) and not found[2]:
            if known:
                inside = (_PROMPT.sub(r"\1 ", line) for line in written[first:number])
                yield first, "\n" * first + "\n".join(inside) + "\n"
            fence = ""
