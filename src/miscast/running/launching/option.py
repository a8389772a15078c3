"""One option of a program's command line."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option by its names ("--bf16", "-b"). A flag takes no value; `off` is what sets it to False.

    A name without a dash is Hydra's: `precision=fp16`.

    `choices` are the values that are known, `default` is the one in force; None: not known.
    """

    names: tuple[str, ...]
    flag: bool = False
    off: str = ""
    choices: tuple[str, ...] = ()
    default: str | None = None
