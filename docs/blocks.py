"""Run the commands that the pages show, and hold what they print against what the pages say.

    python docs/blocks.py README.md docs/tutorial.md           tell where a page says otherwise
    python docs/blocks.py --write docs/tutorial.md             write what was printed into blocks without an ellipsis

A block whose first line begins with `$ ` is a session in a copy of the folder that the nearest comment above it names:
`<!-- in: examples/first -->`; one copy for all blocks of a page that name the same; without such a comment it is not
run. `…` on a line of its own stands for any lines, elsewhere for any text. Under `<!-- not run: why -->` the next block
is left out.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMMENT = re.compile(r"<!-- (in|not run): ([^>]*?) -->")
ANY = "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A fenced block of a page. `line` is of its first line, from 1; `folder` is where it runs, `left_out` why not."""

    language: str
    text: str
    line: int
    folder: str = ""
    left_out: str = ""

    @property
    def session(self) -> bool:
        """Whether it shows commands and what they print."""
        return self.text.startswith("$ ")

    def commands(self) -> Iterator[tuple[str, str]]:
        """Each command, with what is said to be printed."""
        for part in re.split(r"^\$ ", self.text, flags=re.MULTILINE)[1:]:
            command, _, printed = re.sub(r"\\\n\s*", "", part).partition("\n")
            yield command, printed


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    from markdown_it import MarkdownIt

    folder = left_out = ""
    for token in MarkdownIt().parse(page.read_text(encoding="utf-8")):
        for kind, said in COMMENT.findall(token.content) if token.type == "html_block" else ():
            folder, left_out = (said, left_out) if kind == "in" else (folder, said)
        if token.type == "fence" and token.map:
            yield Block(
                language=token.info, text=token.content, line=token.map[0] + 2, folder=folder, left_out=left_out
            )
            left_out = ""


def fits(said: str, printed: str) -> bool:
    """Whether a page says what was printed."""
    pattern = ""
    for line in said.rstrip().splitlines():
        pieces = map(re.escape, line.rstrip().split(ANY))
        pattern += r"(?:[^\n]*\n)*?" if line.strip() == ANY else r"[^\n]*?".join(pieces) + r"[^\S\n]*\n"
    return re.fullmatch(pattern + r"\s*", f"{printed.rstrip()}\n" if printed.strip() else "") is not None


class Sessions:
    """Copies of the folders that a page's blocks run in."""

    def __init__(self, scratch: Path) -> None:
        """Below a folder that the caller removes."""
        self.scratch = scratch

    def run(self, block: Block, command: str) -> str:
        """What a command prints, on both streams."""
        name = block.folder.strip("./") or "repository"
        at = self.scratch / name
        if not at.exists():
            self._copy(block.folder, at)
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        unset = ("COLUMNS", "PYTHONPATH", "FORCE_COLOR")
        env = {name: value for name, value in os.environ.items() if name not in unset} | {"PATH": path}
        done = subprocess.run(
            ["bash", "-c", command], cwd=at, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            stdin=subprocess.DEVNULL, check=False, timeout=600,
        )  # fmt: skip
        return done.stdout.replace(str(at), "").replace(f"{ROOT}/", "")

    @staticmethod
    def _copy(folder: str, to: Path) -> None:
        ignored = shutil.ignore_patterns("__pycache__")
        if folder in ("", "."):
            for part in ("examples", "recipes"):
                shutil.copytree(ROOT / part, to / part, ignore=ignored)
        else:
            shutil.copytree(ROOT / folder, to, ignore=ignored)


def wrong(page: Path) -> Iterator[tuple[Block, str, str]]:
    """The blocks that say otherwise, with the command and what it printed."""
    with tempfile.TemporaryDirectory() as scratch:
        sessions = Sessions(Path(scratch))
        for block in blocks(page):
            if block.session and block.folder and not block.left_out:
                for command, said in block.commands():
                    printed = sessions.run(block, command)
                    if not fits(said, printed):
                        yield block, command, printed


def main(arguments: list[str]) -> int:
    """Run the pages that are named; 1 where one says otherwise."""
    write = "--write" in arguments
    found = False
    for name in (one for one in arguments if one != "--write"):
        page = Path(name)
        for block, command, printed in wrong(page):
            found = True
            print(f"{name}:{block.line}: $ {command}\n{printed}")
            if write and ANY not in block.text:
                text = page.read_text(encoding="utf-8")
                page.write_text(text.replace(block.text, f"$ {command}\n{printed.rstrip()}\n"), encoding="utf-8")
    return int(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
