"""Split the words of a command line into the programs that it starts, each with its options."""

from __future__ import annotations

import collections
import itertools
import os
from collections.abc import Iterator

from ...core.frozen import dataclass, replace
from ...core.regex import regex
from ..setting import Entry, Place, Unknown, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One argument; not `known` if it contains a variable that the file does not set."""

    text: str
    at: Place
    known: bool = True
    marks: tuple[tuple[int, Place], ...] = ()
    """Places in the file of a string of arguments, line by line, for the characters from an offset on."""


_BEFORE = {
    "nohup", "srun", "exec", "eval", "time", "sudo", "env", "uv", "run", "poetry",
    "pipenv", "xvfb-run", "stdbuf",
}  # fmt: skip
_SUBCOMMANDS = {
    "llamafactory-cli", "axolotl", "tune", "trl", "lightning", "fabric", "simpletuner", "accelerate", "vllm",
    "sglang", "swift", "yolo",
}  # fmt: skip
_PROGRAMS = {"fairseq-train", "fairseq-hydra-train", "lerobot-train"}
"""Commands that are installed under their own name."""
_MODULES = {
    "torch.distributed.run": "torchrun",
    "torch.distributed.launch": "torchrun",
    "axolotl.cli.train": "axolotl train",
    "accelerate.commands.launch": "accelerate launch",
    "torchtitan.train": "torchtitan",
}
_WHICH = regex(r"\$\(which ([\w.-]+)\)")
_WORD = regex(r"\S+")
_ASSIGNED = regex(r"[A-Za-z_][A-Za-z0-9_]*=|--?$|\$")
"""Words before a program: `FOO=1`, a lone dash, a variable with such words."""
_FLAGS = {
    "--multi_gpu", "--cpu", "--use_deepspeed", "--use_fsdp", "--use_megatron_lm",
    "--tpu", "--debug", "--quiet", "-q", "--standalone", "--dynamo_use_fullgraph",
    "--dynamo_use_dynamic", "--same_network", "--no_python", "--no-python",
    "--downcast_bf16", "--use_mps_device", "--mps", "--use_xpu",
    "--enable_cpu_affinity", "-u", "-O", "--autotuning",
}  # fmt: skip


_IN_KEYS = str.maketrans("", "", "._/")
_SCRIPT_LAUNCHERS = ("torchrun", "deepspeed", "composer")
_LAUNCHERS = ("torchrun", "accelerate launch")
_VALUED = ("-W", "-X", "--check-hash-based-pycs")
"""Python's own options whose value is the next word."""


Started = tuple[str, Place, list[Word]]
"""A program's name, its place, and the words after it."""


def programs(words: list[Word]) -> Iterator[Started]:
    """Yield the programs of a command, each with its words: a launcher first, then the script that it starts."""
    rest = _command([_found(word) for word in words])
    if not rest:
        return
    program = rest.pop(0)
    name = os.path.basename(program.text)
    if name in _SCRIPT_LAUNCHERS:
        yield from _launched(name, program.at, rest)
    elif name.startswith("python"):
        yield from _python(rest, program.at)
    elif name in _SUBCOMMANDS:
        yield from _subcommand(name, program.at, rest)
    elif name in _PROGRAMS or name.endswith(".py"):
        yield program.text, program.at, rest
    elif program.text in ("bash", "sh") and len(rest) > 1 and rest[0].text == "-c":
        yield from programs(split(rest[1]))
    elif name == "ray":
        # ray job submit --runtime-env … -- python3 -m …
        after = itertools.dropwhile(lambda word: word.text != "--", rest)
        yield from programs([*after][1:])


def _found(word: Word) -> Word:
    """Return the program that `$(which PROGRAM)` finds; any other word unchanged."""
    match = _WHICH.fullmatch(word.text)
    return replace(word, text=match[1], known=True) if match else word


def _command(words: list[Word]) -> list[Word]:
    """Return the words from the program on, after its runner (`srun -N 2 --gpus=8`) and its variables."""
    at, runner = 0, False
    while at < len(words):
        text = words[at].text
        its_own = runner and (text.startswith("-") or text.isdigit())
        if not its_own and not _stands_before(words[at]):
            break
        runner = runner or os.path.basename(text) in _BEFORE
        at += 1
    return words[at:]


def _subcommand(name: str, start: Place, rest: list[Word]) -> Iterator[Started]:
    if rest and "=" in rest[0].text:
        yield name, start, rest
    elif rest and not rest[0].text.startswith("-"):
        yield from _started(f"{name} {rest[0].text}", start, rest[1:])


def _stands_before(word: Word) -> bool:
    return (
        os.path.basename(word.text) in _BEFORE or _ASSIGNED.match(word.text) is not None
    )


def _started(name: str, start: Place, rest: list[Word]) -> Iterator[Started]:
    """Yield a program, and the one that it starts if it is a launcher."""
    if name in _LAUNCHERS:
        yield from _launched(name, start, rest)
    else:
        yield name, start, rest


def _python(rest: list[Word], start: Place) -> Iterator[Started]:
    """Return the module or file that the interpreter runs, after its own options; nothing for code."""
    at = 0
    while at < len(rest) and rest[at].text.startswith("-"):
        if rest[at].text == "-m" and at + 1 < len(rest):
            module = rest[at + 1].text
            yield from _started(_MODULES.get(module, module), start, rest[at + 2 :])
            return
        if rest[at].text == "-c":
            return
        at += 2 if rest[at].text in _VALUED else 1
    if at < len(rest):
        yield rest[at].text, start, rest[at + 1 :]


def _launched(launcher: str, start: Place, rest: list[Word]) -> Iterator[Started]:
    """Split a launcher's options from the script, which ends them."""
    at = 0
    while at < len(rest) and not _is_script(rest[at]):
        if rest[at].text in ("-m", "--module") and at + 1 < len(rest):
            yield launcher, start, rest[:at]
            module = rest[at + 1]
            yield _MODULES.get(module.text, module.text), module.at, rest[at + 2 :]
            return
        at += 2 if _takes_next(rest[at], rest[at + 1 : at + 2]) else 1
    yield launcher, start, rest[:at]
    if at < len(rest):
        yield rest[at].text, rest[at].at, rest[at + 1 :]


def _is_script(word: Word) -> bool:
    return word.text.endswith(".py") or (word.known and not word.text.startswith("-"))


def _takes_next(option: Word, following: list[Word]) -> bool:
    """Check whether a launcher's option has its value in the next word."""
    text = option.text
    if not text.startswith("-") or text in _FLAGS or "=" in text:
        return False
    return any(
        not word.text.startswith("--") and not word.text.endswith(".py")
        for word in following
    )


def options(words: list[Word]) -> Iterator[Entry]:
    """Yield `--key value`, `--key=value`, `--flag`, `key=value`; dashes in keys become underscores. Bare: "@0"."""
    bare = itertools.count()
    left = collections.deque(words)
    while left:
        word = left.popleft()
        name, equals, _ = word.text.partition("=")
        if len(name) > 1 and _dashed(name):
            key = tuple(name.lstrip("-").replace("-", "_").split("."))
            if equals:
                yield _assigned(key, word)
            elif left and not _dashed(left[0].text):
                yield entry(key, left.popleft())
            else:
                yield Entry(key=key, value=True, text="", at=word.at, flag=True)
        elif equals and name.translate(_IN_KEYS).lstrip("+~").isalnum():
            yield _assigned(tuple(name.lstrip("+~").split(".")), word)
        elif word.text.strip("\\"):
            yield entry((f"@{next(bare)}",), word)


def _dashed(text: str) -> bool:
    """Check whether a word begins with a dash and is no number: -1 is a value."""
    return text.startswith("-") and not _is_number(text)


def _assigned(key: tuple[str, ...], word: Word) -> Entry:
    """Return the value after the word's equals sign."""
    name, _, value = word.text.partition("=")
    return entry(key, replace(word, text=value, at=_behind(word, len(name) + 1)))


def entry(key: tuple[str, ...], word: Word) -> Entry:
    """Return a word as the value of a key."""
    value: Value = word.text if word.known else Unknown(text=word.text)
    return Entry(key=key, value=value, text=word.text, at=word.at)


def _behind(word: Word, skipped: int) -> Place:
    """Return the place of a word after some characters, if the file has it unchanged."""
    at = word.at
    written = at.code[at.column - 1 :].startswith(word.text)
    return replace(at, column=at.column + skipped) if written else at


def split(word: Word) -> list[Word]:
    """Return the words of a string of arguments, each with its own line and column."""
    found = []
    for match in _WORD.finditer(word.text):
        text = match[0].strip("'\"\\")
        if text:
            start = match.start() + match[0].index(text)
            known = word.known or "$" not in text
            found.append(
                Word(text=text, at=_within(word, start, len(text)), known=known)
            )
    return found


def _within(word: Word, start: int, width: int) -> Place:
    """Return the place of a part of a word: by the word's marks, else within the word's place, if it is there."""
    at = word.at
    if marks := [(offset, place) for offset, place in word.marks if offset <= start]:
        offset, at = marks[-1]
        column = at.column + start - offset if at.end == 0 else at.column
        return replace(at, column=column, end=at.end or column + width)
    if not at.code[at.column - 1 :].startswith(word.text):
        return at
    column = at.column + start
    return replace(at, column=column, end=column + width)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
