"""The machines that a program can be checked on: data, no torch; a file of this folder that has `MACHINES` is found.

>>> find("4xv100").spec
'4xv100'
>>> find("v10")
UnknownMachineError: unknown machine 'v10': did you mean v100? known: a10, a100, …
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from ..frozen import dataclass, replace
from ..plugins import each, load, refused
from .architectures import ARCHITECTURES
from .inferred import USUAL, inferred
from .machine import Machine, Support
from .own import own

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "MAX_COUNT", "Choice", "Machine", "Support", "UnknownMachineError", "chosen", "find", "known", "virtual",
]  # fmt: skip

MAX_COUNT = 120
"""Devices of one machine at most: torch's own bound (c10/cuda/CUDAMacros.h, C10_COMPILE_TIME_MAX_GPUS)."""

_RANKS = 100
"""More ranks than that share the devices of one machine of those that nobody named."""
_COUNTED = re.compile(r"(?P<count>[0-9]*)x(?P<name>.*)", re.DOTALL)


class UnknownMachineError(ValueError):
    """The name of a machine is not known. The message suggests names, in one line."""


@cache
def _by_name() -> Mapping[str, Machine]:
    found: dict[str, Machine] = {}
    promised = each("MACHINES", Machine, _without_architecture)
    for file in load(
        __name__,
        needs=(promised,),
        helpers=("architectures", "inferred", "link", "machine", "own", "peak"),
    ):
        for machine in file.MACHINES:
            for name in (machine.name, *machine.aliases):
                if name in found:
                    raise refused(
                        file,
                        "MACHINES",
                        f"{machine.name!r} uses the name {name!r} of {found[name].name!r}",
                    )
                found[name] = machine
    return found


def _without_architecture(machine: Machine) -> str:
    """Return an error for a machine of unknown architecture, whose properties a program could not query."""
    if machine.device != "cuda" or machine.arch in ARCHITECTURES:
        return ""
    return f"has {machine.name!r}, whose architecture {machine.arch!r} is missing in `ARCHITECTURES`"


def known() -> tuple[Machine, ...]:
    """Return every machine, one device each, by name."""
    return tuple(sorted(set(_by_name().values()), key=lambda machine: machine.name))


def find(spec: str) -> Machine:
    """Return the machine that `spec` names: "cpu", "A100", "4xv100", "2 x H100", "rtx 3090".

    Raises UnknownMachineError, with the nearest and all known names, if there is none.
    """
    words = re.sub(r"[\s_]+", "", spec).lower()
    machine = _by_name().get(words)
    if machine is not None:
        return machine
    counted = _COUNTED.fullmatch(words)
    machine = _by_name().get(counted["name"]) if counted else None
    if counted is None or machine is None:
        raise _unknown(spec, counted["name"] if counted else words)
    return _several(machine, counted["count"], spec)


def virtual(spec: str) -> Machine:
    """Return the machine that `spec` names, if a program can be checked on it.

    Raises UnknownMachineError, also for one that only `lint` knows.
    """
    machine = find(spec)
    if not machine.virtual:
        raise UnknownMachineError(
            f"machine {_quoted(spec)}: programs cannot be checked on device type {machine.device!r}; "
            f"`miscast lint --machine {machine.spec}` checks settings for it"
        )
    return machine


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The words for a machine, and why it was taken: "" where it was named."""

    spec: str
    reason: str = ""


def chosen(
    named: str | None,
    project: str | None = None,
    target: str = "",
    ranks: int = 0,
    option: str = "--machine",
) -> Choice:
    """Return the machine to run a script or a callable on, as so many ranks: one rule for all that run a program.

    1. the machine that is named, with the `option` for that;
    2. the one that `[tool.miscast]` of the project's pyproject.toml names;
    3. the GPUs of this computer;
    4. what the text of the script names devices of, else an A100.

    Raises UnknownMachineError, also for one that only `lint` knows.
    """
    said = named or project
    if said:
        virtual(said)
        return Choice(spec=said, reason="" if named else "from pyproject.toml")
    here = own(known())
    spec = here or inferred(target)
    usual = spec == here or find(spec).name == USUAL
    if usual and find(spec).count < ranks <= _RANKS:
        spec = f"{ranks}x{find(spec).name}"
    whose = ": this computer's GPU" if here else ""
    return Choice(spec=spec, reason=f"no {option} given{whose}")


def _several(machine: Machine, digits: str, spec: str) -> Machine:
    most = MAX_COUNT if machine.device not in ("cpu", "mps") else 1
    count = int(digits) if digits and len(digits) < 10 else 0
    if not 1 <= count <= most:
        said = f"at most {most}" if digits.strip("0") else "at least 1"
        example = (
            f", as in '4x{machine.name}'" if most > 1 else f", as in '{machine.name}'"
        )
        raise UnknownMachineError(
            f"machine {_quoted(spec)}: the number of {machine.name} must be {said}{example}"
        )
    return replace(machine, count=count)


def _unknown(spec: str, name: str) -> UnknownMachineError:
    import difflib  # only an error needs it

    names = [machine.name for machine in known()]
    kind = _KINDS.get(re.sub(r":\d*$", "", name))
    if kind is not None:
        return UnknownMachineError(
            f"machine {_quoted(spec)} is a kind of machine: use {kind}; 'miscast machines' lists all"
        )
    near = difflib.get_close_matches(name, _by_name(), n=1, cutoff=0.6) if name else []
    hint = f"did you mean {_by_name()[near[0]].name}? " if near else ""
    return UnknownMachineError(
        f"unknown machine {_quoted(spec)}: {hint}known: {', '.join(names)}; '4xv100' means four"
    )


_KINDS = {
    word: like
    for words, like in (
        ("gpu gpus cuda nvidia", "a100, h100, rtx4090 or t4"), ("amd rocm hip", "mi300x or mi250x"),
        ("intel xpu arc", "max1550 or b580"), ("apple mps mac metal", "m2 or m4"), ("npu ascend", "ascend910b"),
        ("rtx geforce", "rtx3090, rtx4090 or rtx5090"), ("tpu xla google", "tpu-v5e, for lint"),
    )
    for word in words.split()
}  # fmt: skip
"""Words for kinds of machine, each with machines of that kind."""


def _quoted(spec: str) -> str:
    return repr(spec if len(spec) <= 40 else spec[:40] + "…")
