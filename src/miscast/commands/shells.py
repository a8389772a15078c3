"""The scripts by which bash, zsh and fish complete words: data about commands in, a shell's own language out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from shlex import quote
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .arguments import Argument, Described

NAMES = ("bash", "zsh", "fish")


def script(shell: str, commands: Sequence[Described]) -> str:
    """Return what the shell is to read."""
    lines = {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](commands)
    return "".join(f"{line}\n" for line in lines)


def _bash(commands: Sequence[Described]) -> Iterator[str]:
    """Yield a function that looks at the words so far; "=" is a word of its own to bash."""
    yield from _BASH_HEAD
    for one in commands:
        flags = " ".join(name for option in one.options for name in option.names)
        valued = "|".join(_valued(one)) or "-"
        words = quote(" ".join(one.words))
        yield f"    {one.command.name}) flags={quote(flags)}; words={words}; target={int(one.target)}"
        yield f'      case "$prev" in {valued}) wants=1;; esac'
        for option in one.options:
            if option.words:
                names = "|".join(option.names)
                given = quote(" ".join(option.words))
                reply = f'COMPREPLY=($(compgen -W {given} -- "$cur"))'
                yield f'      case "$prev" in {names}) {reply}; return;; esac'
        yield f'      is_valued() {{ case "$1" in {valued}) return 0;; esac; return 1; }};;'
    yield from _BASH_TAIL
    names = " ".join(one.command.name for one in commands)
    yield f"_miscast_commands={quote(names)}"
    yield "complete -o default -F _miscast miscast"


_BASH_HEAD = (
    "_miscast() {",
    '  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" i',
    '  local cmd="" flags="" words="" target=0 wants=0',
    '  [[ $cur == "=" ]] && cur="" ',
    '  [[ $prev == "=" ]] && prev="${COMP_WORDS[COMP_CWORD-2]}"',
    '  [[ ${COMP_WORDS[COMP_CWORD]} == "=" ]] && prev="${COMP_WORDS[COMP_CWORD-1]}"',
    "  COMPREPLY=()",
    '  (( COMP_CWORD > 1 )) && cmd="${COMP_WORDS[1]}"',
    '  case "$cmd" in',
    '    "") COMPREPLY=($(compgen -W "$_miscast_commands --help --version" -- "$cur")); return;;',
)
_BASH_TAIL = (
    "    *) return;;",
    "  esac",
    "  (( wants )) && return  # a file, or anything",
    "  if (( target )); then  # arguments after the program are its own",
    "    for (( i = 2; i < COMP_CWORD; i++ )); do",
    '      is_valued "${COMP_WORDS[i]}" && { (( i++ )); [[ ${COMP_WORDS[i]} == "=" ]] && (( i++ )); continue; }',
    "      [[ ${COMP_WORDS[i]} == -* ]] || return",
    "    done",
    "  fi",
    '  if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$cur")); return; fi',
    '  [[ -n $words ]] && COMPREPLY=($(compgen -W "$words" -- "$cur"))',
    "}",
)


def _valued(one: Described) -> Iterator[str]:
    for option in one.options:
        if option.value is not None:
            yield from option.names


def _zsh(commands: Sequence[Described]) -> Iterator[str]:
    """Yield `_arguments` for each command."""
    yield "#compdef miscast"
    yield "_miscast() {"
    yield "  local -a commands"
    described = " ".join(
        quote(f"{one.command.name}:{_plain(one.command.summary)}") for one in commands
    )
    yield f"  commands=({described})"
    yield "  if (( CURRENT == 2 )); then _describe command commands; return; fi"
    yield "  local command=$words[2]"
    yield "  shift words; (( CURRENT-- ))"
    yield '  case "$command" in'
    for one in commands:
        specs = [quote(spec) for option in one.options for spec in _zsh_specs(option)]
        last = (
            f"1:{'argument'}:({' '.join(one.words)})" if one.words else "*:file:_files"
        )
        specs.append(quote(last))
        # from the first word that is no option on, all is the program's
        start = "_arguments -A '-*'" if one.target else "_arguments"
        yield f"    {one.command.name}) {start} {' '.join(specs)};;"
    yield "  esac"
    yield "}"
    yield "compdef _miscast miscast"


def _zsh_specs(option: Argument) -> Iterator[str]:
    for name in option.names:
        told = f"[{_plain(option.help)}]" if option.help else ""
        if option.value is None:
            yield f"{name}{told}"
        else:
            other = "_files" if option.files else " "
            does = f"({' '.join(option.words)})" if option.words else other
            equals = "=" if name.startswith("--") else ""
            yield f"{name}{equals}{told}:{option.value}:{does}"


def _fish(commands: Sequence[Described]) -> Iterator[str]:
    """Yield a line for each option."""
    names = " ".join(one.command.name for one in commands)
    yield f"complete -c miscast -n 'not __fish_seen_subcommand_from {names}' -f"
    for one in commands:
        yield (
            f"complete -c miscast -n 'not __fish_seen_subcommand_from {names}' "
            f"-a {one.command.name} -d {_quoted(one.command.summary)}"
        )
        seen = (
            f"complete -c miscast -n '__fish_seen_subcommand_from {one.command.name}'"
        )
        for option in one.options:
            flags = " ".join(_fish_flag(name) for name in option.names)
            told = f" -d {_quoted(option.help)}" if option.help else ""
            value = "" if option.value is None else " -r" if option.files else " -x"
            words = f" -a {_quoted(' '.join(option.words))}" if option.words else ""
            yield f"{seen} {flags}{value}{words}{told}"
        if one.words:
            yield f"{seen} -f -a {_quoted(' '.join(one.words))}"


def _fish_flag(name: str) -> str:
    return f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}"


def _quoted(text: str) -> str:
    r"""Quote a text for fish, which only escapes a backslash and a quote."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _plain(text: str) -> str:
    """Remove what ends a description in zsh."""
    return text.replace("[", "(").replace("]", ")").replace(":", " ")
