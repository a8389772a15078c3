"""Axes as they are written: `--vary` of the command line, and the keys of `[matrix.vary]` in a file.

--mixed_precision={no,fp16,bf16}     the option with each of these values
--gradient_checkpointing={on,off}    a flag, given or not
NVIDIA_TF32_OVERRIDE={0,1}           a variable of the environment
config.yaml:train.precision={16,32}  a key of a configuration file
trainer.precision={16,bf16}          a word of the command line, as Hydra takes it
{--fp16,--bf16 --tf32,}              each of these arguments; nothing is one, too
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Sequence

from .cell import Axis, Setting
from .changed_file import Change

_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
_FILE = re.compile(r"(?P<file>.+\.(?:ya?ml|json|toml)):(?P<key>[^:]+)")
ARGUMENTS = "arguments"


class SpellingError(ValueError):
    """A matrix that cannot be read; the message is one line."""


def vary(text: str) -> Axis:
    """Return the axis of `NAME={A,B}`. Raises SpellingError."""
    name, _, rest = text.partition("{")
    if not rest.endswith("}") or not re.fullmatch(r"(.*[^=]=+)?", name):
        raise SpellingError(
            f"--vary {shlex.quote(text)}: write 'NAME={{A,B}}', in quotes"
        )
    return axis(name.rstrip("="), rest[:-1].split(","))


def axis(name: str, values: Sequence[str | bool]) -> Axis:
    """Return the axis of a name with these values. Raises SpellingError for a repeated value, or without values."""
    kind = _kind(name, values)
    return _axis(name, [kind(name, value) for value in values])


def _axis(name: str, settings: Sequence[Setting]) -> Axis:
    labels = [setting.label for setting in settings]
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None or not labels:
        said = f"has the value {twice!r} twice" if twice is not None else "has no value"
        raise SpellingError(f"the axis {name or ARGUMENTS} {said}")
    return Axis(name=name or ARGUMENTS, settings=tuple(settings))


def machines_axis(specs: Sequence[str]) -> Axis:
    """Return one column for each machine. Raises `UnknownMachineError`, and SpellingError for a repeated one."""
    from ...core import machines

    found = [machines.find(spec).spec for spec in specs]
    return _axis(
        "machine", [Setting(label=n, said=f"on {n}", machine=n) for n in found]
    )


def ranks_axis(counts: Sequence[int]) -> Axis:
    """Return the axis of numbers of ranks; 0 is one process."""
    said = {n: f"{n} ranks" if n else "one process" for n in counts}
    return _axis(
        "ranks", [Setting(label=str(n), said=said[n], ranks=n) for n in counts]
    )


_Kind = Callable[[str, "str | bool"], Setting]


def _kind(name: str, values: Sequence[str | bool]) -> _Kind:
    if not name or name == ARGUMENTS:
        return _words
    if name.startswith("-"):
        words = {str(value).lower() for value in values}
        switches = all(isinstance(value, bool) for value in values)
        return _flag if switches or words <= {"on", "off"} else _option
    if _VARIABLE.fullmatch(name):
        return _variable
    if _FILE.fullmatch(name):
        return _key
    return _option


def _words(_name: str, value: str | bool) -> Setting:
    words = shlex.split(str(value))
    label = shlex.join(words)
    return Setting(label=label or "-", said=label or "no more", arguments=tuple(words))


def _flag(name: str, value: str | bool) -> Setting:
    on = value is True or value == "on"
    return Setting(
        label="on" if on else "off",
        said=name if on else f"no {name}",
        arguments=(name,) if on else (),
    )


def _option(name: str, value: str | bool) -> Setting:
    word = f"{name}={_plain(value)}"
    return Setting(label=_plain(value), said=word, arguments=(word,))


def _variable(name: str, value: str | bool) -> Setting:
    word = f"{name}={_plain(value)}"
    return Setting(label=_plain(value), said=word, environment={name: _plain(value)})


def _key(name: str, value: str | bool) -> Setting:
    found = _FILE.fullmatch(name)
    assert found is not None
    change = Change(
        file=os.path.abspath(found["file"]),
        key=tuple(found["key"].split(".")),
        value=_plain(value),
    )
    return Setting(
        label=_plain(value), said=f"{found['key']}={_plain(value)}", changes=(change,)
    )


def _plain(value: str | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
