"""Commands as they are typed, and the Python program in each: `accelerate launch train.py`, `python -m train --lr 1`.

read(["python", "-u", "train.py", "--lr", "1"])      Program(target="train.py", args=("--lr", "1"))
entry("torchrun")                                    what the installed command `torchrun` calls
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_PYTHON = re.compile(r"python[\d.]*(\.exe)?$")
_FLAGS = re.compile(r"-[a-zA-VY-Z]+$")  # in one word; -X and -W may have a value there
_SHELLS = frozenset("|&;<>()$`*?\n")
_VALUED = ("-X", "-W", "--check-hash-based-pycs")
# others are tools: ninja, pip
_RANKS = re.compile(
    r"--(?:nproc[-_]per[-_]node|num[-_]processes|num[-_]gpus)(?:=(\d{1,4}))?"
)
_COMMANDS = ("torchrun", "accelerate", "accelerate-launch", "deepspeed")
_LAUNCHERS = ("torch.distributed.", "accelerate", "deepspeed")
LOCAL_RANK = "${local_rank}"
"""The local rank within an argument, in the spelling of torch's launcher."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program for `check`: script.py, "-m module" or the name of a command, and its own arguments."""

    target: str
    args: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Launch:
    """A program to start in `ranks` processes that form a process group (0: one process, without it)."""

    program: Program
    ranks: int
    environment: Mapping[str, str]
    note: str = ""


class Launching(BaseException):
    """Ends the launcher where it would start the program; no `except Exception` of its own holds it up."""

    def __init__(self, launch: Launch) -> None:
        super().__init__(launch)
        self.launch = launch


def read(command: str | Sequence[Any]) -> Program | None:
    """Return the Python program, or the launcher, that a command runs.

    None for others, and for a matter of the shell's.
    """
    if isinstance(command, str):
        if _SHELLS & set(command):
            return None
        command = shlex.split(command)
    words = [os.fsdecode(word) for word in command]
    if not words:
        return None
    if runs_python(words[0]):
        return _interpreted(words[1:])
    name = os.path.basename(words[0])
    if name in _COMMANDS and entry(name) is not None:
        return Program(name, tuple(words[1:]))
    return None


def typed(target: str, args: Sequence[str]) -> Program:
    """Return the program meant by a target and its arguments: `train.py` for `python train.py`."""
    meant = (
        read((target, *args)) if _PYTHON.fullmatch(os.path.basename(target)) else None
    )
    return meant or Program(target, tuple(args))


def runs_python(word: str) -> bool:
    """Check whether a command's first word is an interpreter."""
    return (
        _PYTHON.fullmatch(os.path.basename(word)) is not None or word == sys.executable
    )


def _interpreted(words: list[str]) -> Program | None:
    """Return what follows `python`."""
    while words and words[0].startswith("-"):
        option = words.pop(0)
        last = option[-1] if _FLAGS.match(option) else ""
        if option in _VALUED:
            del words[:1]
        elif option == "-" or last == "c":  # standard input, or code
            return None
        elif last == "m":
            return _program(words, "-m ")
    return _program(words)


def _program(words: list[str], before: str = "") -> Program | None:
    return Program(f"{before}{words[0]}", tuple(words[1:])) if words else None


def starts_others(target: str) -> bool:
    """Check whether a target is a command, or a module that starts programs in processes of their own."""
    if target.startswith("-m "):
        return target[3:].strip().startswith(_LAUNCHERS)
    return (
        not os.path.exists(target) and ":" not in target and entry(target) is not None
    )


def ranks_of(target: str, args: Sequence[str]) -> int:
    """Return the number of processes that a launcher's options ask for; 0 if they name none."""
    program = typed(target, args)
    if not starts_others(program.target):
        return 0
    for word, following in zip(program.args, (*program.args[1:], ""), strict=False):
        if word.endswith(".py"):
            break
        if found := _RANKS.fullmatch(word):
            count = found[1] or following
            return int(count) if re.fullmatch(r"\d{1,4}", count) else 0
    return 0


def entry(name: str) -> Callable[[], Any] | str | None:
    """Return what an installed command calls; the path of its script if it is one; None if there is no such command.

    Only commands written in Python.
    """
    if os.sep in name or name.endswith(".py"):
        return None
    from importlib import metadata  # 20 ms, which no script pays

    for found in metadata.entry_points(group="console_scripts", name=name):
        return lambda: sys.exit(found.load()())
    path = shutil.which(name)
    if path is not None:
        try:
            with open(path, "rb") as file:
                first = file.readline(256)
        except OSError:
            return None
        if first.startswith(b"#!") and b"python" in first:
            return path
    return None
