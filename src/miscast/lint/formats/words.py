"""Words of a command line -> the programs that it starts, and the options that each of them gets."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..setting import Entry, Place, Unknown, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One argument; not `known` where it holds a variable that the file does not set."""

    text: str
    at: Place
    known: bool = True
    marks: tuple[tuple[int, Place], ...] = ()
    """Of a string of arguments: where in the file the characters from an offset on stand, line by line."""


_BEFORE = {
    "nohup",
    "srun",
    "exec",
    "eval",
    "time",
    "sudo",
    "env",
    "uv",
    "run",
    "poetry",
    "pipenv",
    "xvfb-run",
    "stdbuf",
}
_SUBCOMMANDS = {"llamafactory-cli", "axolotl", "tune", "trl", "lightning", "fabric", "simpletuner", "accelerate"}
_MODULES = {
    "torch.distributed.run": "torchrun",
    "torch.distributed.launch": "torchrun",
    "axolotl.cli.train": "axolotl train",
    "accelerate.commands.launch": "accelerate launch",
    "torchtitan.train": "torchtitan",
}
_WORD = re.compile(r"\S+")
_ASSIGNED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=|--?$|\$")
"""What stands before a program: `FOO=1`, a lone dash, a variable that holds such things."""
_FLAGS = {
    "--multi_gpu",
    "--cpu",
    "--use_deepspeed",
    "--use_fsdp",
    "--use_megatron_lm",
    "--tpu",
    "--debug",
    "--quiet",
    "-q",
    "--standalone",
    "--dynamo_use_fullgraph",
    "--dynamo_use_dynamic",
    "--same_network",
    "--no_python",
    "--no-python",
    "--downcast_bf16",
    "--use_mps_device",
    "--mps",
    "--use_xpu",
    "--enable_cpu_affinity",
    "-u",
    "-O",
    "--autotuning",
}


Started = tuple[str, Place, list[Word]]
"""A program's name, where it stands, and the words behind it."""


def programs(words: list[Word]) -> Iterator[Started]:
    """The programs of a command, each with its own words: a launcher first, then the script that it starts."""
    at = 0
    while at < len(words) and (os.path.basename(words[at].text) in _BEFORE or _ASSIGNED.match(words[at].text)):
        at += 1
    if at == len(words):
        return
    if len(words) > at + 2 and words[at].text in ("bash", "sh") and words[at + 1].text == "-c":
        yield from programs(split(words[at + 2]))
        return
    name, start = os.path.basename(words[at].text), words[at].at
    rest = words[at + 1 :]
    if name.startswith("python"):
        yield from _python(rest, start)
    elif name in _SUBCOMMANDS and rest and not rest[0].text.startswith("-"):
        name, rest = f"{name} {rest[0].text}", rest[1:]
        yield from _launched(name, start, rest) if name == "accelerate launch" else [(name, start, rest)]
    elif name in ("torchrun", "deepspeed"):
        yield from _launched(name, start, rest)
    elif name.endswith(".py"):
        yield words[at].text, start, rest


_VALUED = ("-W", "-X", "--check-hash-based-pycs")
"""Python's own options that take the next word."""


def _python(rest: list[Word], start: Place) -> Iterator[Started]:
    at = 0
    while at < len(rest) and rest[at].text.startswith("-"):
        if rest[at].text == "-m" and at + 1 < len(rest):
            module = rest[at + 1].text
            name, tail = _MODULES.get(module, module), rest[at + 2 :]
            launcher = name in ("torchrun", "accelerate launch")
            yield from _launched(name, start, tail) if launcher else [(name, start, tail)]
            return
        if rest[at].text == "-c":
            return
        at += 2 if rest[at].text in _VALUED else 1
    if at < len(rest):
        yield rest[at].text, start, rest[at + 1 :]


def _launched(launcher: str, start: Place, rest: list[Word]) -> Iterator[Started]:
    """A launcher's own options end at the script's name."""
    at = 0
    while at < len(rest):
        text = rest[at].text
        if text in ("-m", "--module") and at + 1 < len(rest):
            yield launcher, start, rest[:at]
            yield _MODULES.get(rest[at + 1].text, rest[at + 1].text), rest[at + 1].at, rest[at + 2 :]
            return
        if text.endswith(".py") or (not text.startswith("-") and rest[at].known):
            break
        alone = not text.startswith("-") or text in _FLAGS or "=" in text or at + 1 == len(rest)
        follows = not alone and not rest[at + 1].text.startswith("--") and not rest[at + 1].text.endswith(".py")
        at += 2 if follows else 1
    yield launcher, start, rest[:at]
    if at < len(rest):
        yield rest[at].text, rest[at].at, rest[at + 1 :]


def options(words: list[Word]) -> Iterator[Entry]:
    """`--key value`, `--key=value`, `--flag`, `key=value`; dashes in keys become underscores. Bare words are "@0"."""
    at = bare = 0
    while at < len(words):
        word = words[at]
        name, equals, value = word.text.partition("=")
        at += 1
        if name.startswith("-") and len(name) > 1 and not _is_number(name):
            key = tuple(name.lstrip("-").replace("-", "_").split("."))
            if equals:
                yield _entry(key, value, _behind(word, len(name) + 1), known=word.known)
            elif at < len(words) and (not words[at].text.startswith("-") or _is_number(words[at].text)):
                following = words[at]
                at += 1
                yield _entry(key, following.text, following.at, known=following.known)
            else:
                yield Entry(key=key, value=True, text="", at=word.at, flag=True)
        elif equals and name.replace(".", "").replace("_", "").replace("/", "").lstrip("+~").isalnum():
            yield _entry(tuple(name.lstrip("+~").split(".")), value, _behind(word, len(name) + 1), known=word.known)
        elif word.text.strip("\\"):
            yield _entry((f"@{bare}",), word.text, word.at, known=word.known)
            bare += 1


def _entry(key: tuple[str, ...], text: str, at: Place, *, known: bool) -> Entry:
    value: Value = text if known else Unknown(text=text)
    return Entry(key=key, value=value, text=text, at=at)


def _behind(word: Word, skipped: int) -> Place:
    at = word.at
    if at.code[at.column - 1 :].startswith(word.text):
        return Place(file=at.file, line=at.line, column=at.column + skipped, end=at.end, code=at.code)
    return at


def split(word: Word) -> list[Word]:
    """The words of a string of arguments, each with its own line and column."""
    found = []
    for match in _WORD.finditer(word.text):
        text = match[0].strip("'\"\\")
        if text:
            start = match.start() + match[0].index(text)
            known = word.known or "$" not in text
            found.append(Word(text=text, at=_within(word, start, len(text)), known=known))
    return found


def _within(word: Word, start: int, width: int) -> Place:
    """Where a part of a word stands: by the word's marks, else in the word's own place, if it is written there."""
    marks = [(offset, place) for offset, place in word.marks if offset <= start]
    if marks:
        offset, at = marks[-1]
        column = at.column + start - offset if at.end == 0 else at.column
        return Place(file=at.file, line=at.line, column=column, end=at.end or column + width, code=at.code)
    at = word.at
    if at.code[at.column - 1 :].startswith(word.text):
        column = at.column + start
        return Place(file=at.file, line=at.line, column=column, end=column + width, code=at.code)
    return at


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
