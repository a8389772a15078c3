"""Recognize read-only commands, which run for real. No other command is started.

only_reads(["git", "rev-parse", "HEAD"])     # True
only_reads("git rev-parse HEAD 2>/dev/null") # True
only_reads(["git", "commit", "-am", "x"])    # False
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

_VERSION = frozenset(
    {"--version", "-version", "-V", "-dumpversion", "-dumpmachine", "--help"}
)
_VERSIONED = frozenset(
    (  # noqa: SIM905 - words
        "gcc g++ cc c++ clang clang++ nvcc hipcc ninja cmake make ld git conda mamba uv pip pip3 python python3 docker "
        "node java ffmpeg go rustc cargo latex tesseract mpirun srun nsys ncu rocminfo nvidia-smi rocm-smi bash sh"
    ).split()
)
_ALWAYS = frozenset(
    (  # noqa: SIM905 - words
        "cat ls head tail wc echo printf true false test [ which id whoami uname nproc df free du lscpu lspci arch pwd "
        "lsb_release groups ps uptime stat readlink realpath basename dirname grep egrep md5sum sha256sum printenv "
        "rocm_agent_enumerator getconf rocminfo cut tr"
    ).split()
)
_GIT = frozenset(
    "rev-parse log describe show diff status ls-files rev-list cat-file blame shortlog show-ref".split()  # noqa: SIM905 - words
)
_GIT_LISTS = frozenset({
    "-a", "-r", "-v", "-vv", "--list", "--show-current", "--all", "--remotes", "--no-color",
})  # fmt: skip
_GIT_DOES = ("--output", "--upload", "--exec", "--ext-diff", "--textconv")
_GIT_GETS = (["--get"], ["--get-all"], ["--get-regexp"], ["--list"], ["-l"])
# more may follow each: "--query-gpu=name"
_SMI_READS = (
    *("-q", "-L", "-i", "-m", "-h", "-x", "-s", "topo", "nvlink"),
    *("--list-gpus", "--query", "--format", "--id", "--help"),
)
_SYSTEM = ("/usr/", "/bin/", "/sbin/", "/opt/", "/lib/", "/lib64/")
_HARMLESS = re.compile(r"(?:[12]|&)?>>?\s*/dev/null(?=\s|$|[;|&])|2>&1|<\s*/dev/null")
_SHELL = re.compile(r"[<>$`(){}\n\\&]")


def only_reads(command: Any, *, shell: bool = False) -> bool:
    """Check whether a command, as words or as a line for the shell, is known to change nothing."""
    if isinstance(command, (str, bytes, os.PathLike)) and (
        shell or " " in os.fsdecode(command)
    ):
        return _line(os.fsdecode(command))
    words = (
        [command] if isinstance(command, (str, bytes, os.PathLike)) else list(command)
    )
    try:
        return _words([os.fsdecode(word) for word in words])
    except TypeError:
        return False


def _line(line: str) -> bool:
    line = _HARMLESS.sub(" ", line)
    parts = re.split(r"\|\||&&|;|\|", line)
    if any(_SHELL.search(part) for part in parts):
        return False
    try:
        return all(_words(shlex.split(part)) for part in parts)
    except ValueError:  # a quote that does not end
        return False


def _words(words: Sequence[str]) -> bool:
    if not words or not _is_the_systems(words[0]):
        return False
    program, args = words[0], words[1:]
    python = program == sys.executable
    name = os.path.basename(program).removesuffix(".exe")
    if name in _ALWAYS or (_asks_version(args) and (python or name in _VERSIONED)):
        return True
    judge = _python if python or name.startswith("python") else _JUDGES.get(name)
    return judge is not None and judge(args)


def _is_the_systems(program: str) -> bool:
    """Check whether a program is looked up, or named by a path of the system's.

    Another may do anything under any name.
    """
    return (
        os.sep not in program
        or program == sys.executable
        or program.startswith(_SYSTEM)
    )


def _asks_version(args: Sequence[str]) -> bool:
    return bool(args) and set(args) <= _VERSION


def _git(args: Sequence[str]) -> bool:
    args = list(args)
    while len(args) >= 2 and args[0] == "-C":
        args = args[2:]
    while args and args[0] in {"--no-pager", "-P"}:
        args = args[1:]
    if not args or any(a.startswith(_GIT_DOES) for a in args):
        return False
    judge = _GIT_VERBS.get(args[0])
    return judge is not None and judge(args[1:])


def _git_branch(rest: list[str]) -> bool:
    return set(rest) <= _GIT_LISTS or rest[:1] == ["--contains"]


def _git_config(rest: list[str]) -> bool:
    rest = [a for a in rest if a not in {"--global", "--local", "--system"}]
    return rest[:1] in _GIT_GETS or (len(rest) == 1 and not rest[0].startswith("-"))


def _git_remote(rest: list[str]) -> bool:
    return rest in ([], ["-v"]) or rest[:1] == ["get-url"]


def _git_tag(rest: list[str]) -> bool:
    return rest in ([], ["-l"], ["--list"]) or rest[:1] in (
        ["--points-at"],
        ["--contains"],
    )


def _git_symbolic_ref(rest: list[str]) -> bool:
    return sum(not a.startswith("-") for a in rest) == 1 and "-d" not in rest


_GIT_VERBS: Mapping[str, Callable[[list[str]], bool]] = {
    **dict.fromkeys(_GIT, lambda rest: "-o" not in rest), "branch": _git_branch, "config": _git_config,
    "remote": _git_remote, "tag": _git_tag, "symbolic-ref": _git_symbolic_ref,
    "stash": lambda rest: rest[:1] == ["list"],
}  # fmt: skip


def _python(args: Sequence[str]) -> bool:
    return args[:2] == ["-m", "pip"] and _pip(args[2:])


def _pip(args: Sequence[str]) -> bool:
    return args[:1] in (["list"], ["freeze"], ["show"]) and not any(
        a.startswith("--log") for a in args
    )


def _date(args: Sequence[str]) -> bool:
    return all(
        a.startswith(("+", "-I", "--iso")) or a in {"-u", "--utc", "-R"} for a in args
    )


_JUDGES: Mapping[str, Callable[[Sequence[str]], bool]] = {
    "git": _git,
    "pip": _pip,
    "pip3": _pip,
    "date": _date,
    "hostname": lambda args: all(a in {"-f", "-s", "-i", "-I", "--fqdn"} for a in args),
    "sysctl": lambda args: args[:1] == ["-n"] and not any("=" in a or a in {"-w", "-p", "--system"} for a in args),
    "ldconfig": lambda args: list(args) in (["-p"], ["-N", "-p"]),
    "nvidia-smi": lambda args: (
        all(a.startswith(_SMI_READS) or a.isdigit() for a in args) and "--id-reset" not in args
    ),
    "rocm-smi": lambda args: all(a.startswith("--show") or a in {"--json", "--csv"} for a in args),
    "conda": lambda args: args[:1] in (["list"], ["info"]),
    "objdump": lambda args: bool(args) and args[0].startswith("-p"),
    "ulimit": lambda args: not any(a.isdigit() for a in args),
    "env": lambda args: not args,
}  # fmt: skip
