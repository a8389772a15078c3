"""Run the commands that the pages show, and compare what they print with the pages.

    python docs/blocks.py                                      all pages: print where they differ
    python docs/blocks.py README.md docs/tutorial.md           these pages
    python docs/blocks.py --write docs/tutorial.md             write the output into blocks that leave out no lines
    python docs/blocks.py --quick                              only quick blocks, as the tests do

A block whose first line begins with `$ ` is a session. It runs in a copy of the folder that the nearest comment above
it names, such as `<!-- in: examples/first -->`. Blocks of a page that name the same folder share a copy; `<!-- in: -->`
is an empty folder. Without such a comment, a block is not run. `…` on its own line matches any lines, elsewhere any
text. These comments apply to the next block only:

    <!-- file: train.py -->     write the block to this file of the folder, for later blocks
    <!-- takes: 40 s -->        only `make sessions` runs the block
    <!-- not run: why -->       the block is not run
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMMENT = re.compile(r"<!-- (in|file|takes|not run): ?([^>]*?) ?-->")
ANY = "…"
IN_A_PIPE = "miscast: the output below is computed from placeholder values\n"
"""What no terminal shows."""
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
PROGRAMS = ("examples", "recipes")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A block of code of a page. `line` is of its first line, from 1; `folder` is where it runs: None, not at all."""

    language: str
    text: str
    line: int
    folder: str | None = None
    file: str = ""
    takes: str = ""
    left_out: str = ""

    @property
    def session(self) -> bool:
        """Whether it shows commands and what they print."""
        return self.text.startswith("$ ")

    @property
    def run(self) -> bool:
        """Whether it is a session that can be run."""
        return self.session and self.folder is not None and not self.left_out

    def commands(self) -> Iterator[tuple[str, str]]:
        """Each command, with what is said to be printed."""
        for part in re.split(r"^\$ ", self.text, flags=re.MULTILINE)[1:]:
            command, _, printed = re.sub(r"\\\n\s*", "", part).partition("\n")
            yield command, printed


def blocks(page: Path) -> Iterator[Block]:
    """The blocks of code of a page, in order."""
    from markdown_it import MarkdownIt

    folder, said = None, {}
    for token in MarkdownIt().parse(page.read_text(encoding="utf-8")):
        if token.type == "html_block":
            said |= dict(COMMENT.findall(token.content))
            folder = said.pop("in", folder)
        if token.type in ("fence", "code_block") and token.map:
            yield Block(
                language=token.info, text=token.content, line=token.map[0] + 1 + (token.type == "fence"), folder=folder,
                file=said.get("file", ""), takes=said.get("takes", ""), left_out=said.get("not run", ""),
            )  # fmt: skip
            said = {}


def fits(said: str, printed: str) -> bool:
    """Whether a page says what was printed."""
    pattern = ""
    for line in said.rstrip().splitlines():
        pieces = map(re.escape, line.rstrip().split(ANY))
        pattern += (
            r"(?:[^\n]*\n)*?"
            if line.strip() == ANY
            else r"[^\n]*?".join(pieces) + r"[^\S\n]*\n"
        )
    return (
        re.fullmatch(
            pattern + r"\s*", f"{printed.rstrip()}\n" if printed.strip() else ""
        )
        is not None
    )


class Sessions:
    """Copies of the folders that a page's blocks run in."""

    def __init__(self, scratch: Path) -> None:
        """Below a folder that the caller removes."""
        self.scratch = scratch.resolve()

    def write(self, block: Block) -> None:
        """What a block shows, as the file that it names."""
        (self._at(block) / block.file).write_text(block.text, encoding="utf-8")

    def run(self, block: Block, command: str) -> str:
        """What a command prints, on both streams."""
        at = self._at(block)
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        unset = ("COLUMNS", "PYTHONPATH", "FORCE_COLOR")
        env = {
            name: value for name, value in os.environ.items() if name not in unset
        } | {"PATH": path}
        done = subprocess.run(
            ["bash", "-c", command], cwd=at, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            stdin=subprocess.DEVNULL, check=False, timeout=1200,
        )  # fmt: skip
        told = done.stdout.replace(f"{at}/", "").replace(f"{ROOT}/", "")
        return told.replace(IN_A_PIPE, "")

    def _at(self, block: Block) -> Path:
        folder = block.folder or ""
        at = self.scratch / (
            folder.strip("./") or ("repository" if folder else "empty")
        )
        if at.exists():
            return at
        ignored = shutil.ignore_patterns("__pycache__")
        parts = (
            [ROOT / folder]
            if folder.strip("./")
            else [ROOT / part for part in PROGRAMS if folder]
        )
        for part in parts:
            shutil.copytree(
                part, at if folder.strip("./") else at / part.name, ignore=ignored
            )
        at.mkdir(parents=True, exist_ok=True)
        return at


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """A command of a block, what it printed, and whether the page says so."""

    block: Block
    command: str
    printed: str
    said: bool
    seconds: float  # of the processor: how busy the machine is makes no difference

    def __str__(self) -> str:
        """For who mends the page."""
        return f"{self.block.line}: $ {self.command}\n{self.printed}"


def ran(page: Path, *, quick: bool = False) -> Iterator[Ran]:
    """Run the sessions of a page; with `quick` without those that take long."""
    with tempfile.TemporaryDirectory() as scratch:
        sessions = Sessions(Path(scratch))
        for block in blocks(page):
            if block.file and block.folder is not None:
                sessions.write(block)
            if not block.run or (quick and block.takes):
                continue
            for command, said in block.commands():
                began = _worked()
                printed = sessions.run(block, command)
                worked = _worked() - began
                yield Ran(block=block, command=command, printed=printed, said=fits(said, printed), seconds=worked)


def _worked() -> float:
    """Seconds that all processes have worked that this one has waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(arguments: list[str]) -> int:
    """Run pages; 1 where one says otherwise."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("pages", metavar="PAGE", nargs="*", type=Path, default=PAGES)
    parser.add_argument(
        "--write",
        action="store_true",
        help="write the output into blocks of one command that leave out no lines",
    )
    parser.add_argument(
        "--quick", action="store_true", help="run only the quick blocks"
    )
    options = parser.parse_args(arguments)
    found = False
    for page in options.pages:
        seconds = []
        for one in ran(page, quick=options.quick):
            seconds.append(one.seconds)
            if one.said:
                continue
            found = True
            print(f"{page}:{one}", flush=True)
            lines = [line.strip() for line in one.block.text.splitlines()]
            if options.write and ANY not in lines and one.block.text.count("\n$ ") == 0:
                text = page.read_text(encoding="utf-8")
                shown = f"$ {one.command}\n{one.printed.rstrip()}\n"
                page.write_text(text.replace(one.block.text, shown), encoding="utf-8")
        if seconds:
            print(
                f"{page}: {len(seconds)} commands in {sum(seconds):.0f} s ({', '.join(f'{s:.0f}' for s in seconds)})"
            )
    return int(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
