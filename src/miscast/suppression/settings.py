"""`[tool.miscast]` of the nearest `pyproject.toml`: what a project's command lines would all say.

    [tool.miscast]
    machine = "a100"
    strict = true
    paths = ["config", "train.sh"]        # what lint reads, where no PATH is named
    assume = ["pixels=-1:1"]              # with --numerics
    severity = "warning"                  # the least that is told: error, warning or hint
    baseline = "miscast-baseline.json"

    [tool.miscast.rules]
    setting-has-no-effect = false         # is not told
    loss-rounds = "error"                 # is told as one

What stands on a command line comes first. What is no setting is refused in one line.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Collection, Mapping
from typing import Any, get_args

from ..core.finding import Severity
from ..core.frozen import dataclass, field
from ..core.similar import similar
from ..report.repository import nearest
from .unusable import UnusableError

FILE = "pyproject.toml"
_SEVERITIES: tuple[Severity, ...] = get_args(Severity)
_LARGEST = 4_000_000
_SPOKEN_TO = re.compile(
    rb"^[^\n]*tool[^\n]*miscast|^[ \t]*\[[ \t]*[\"']?tool[\"']?[ \t]*\]", re.MULTILINE
)
"""The part of a file that concerns Miscast. Reading it all takes longer than finding that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """A project's settings. `file` has them, or is "". `paths` and `baseline` are relative to here."""

    file: str = ""
    machine: str | None = None
    strict: bool = False
    paths: tuple[str, ...] = ()
    assume: tuple[str, ...] = ()
    severity: Severity = "hint"
    baseline: str | None = None
    rules: Mapping[str, bool | Severity] = field(default_factory=dict)


def settings() -> Settings:
    """Return the settings of the project that contains the current folder. Raises UnusableError."""
    folder = nearest(FILE, os.path.isfile)
    if folder is None:
        return Settings()
    file = os.path.join(folder, FILE)
    try:
        with open(file, "rb") as opened:
            raw = opened.read(_LARGEST)
        if not _SPOKEN_TO.search(raw):
            return Settings()
        told = _parsed(raw.decode("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UnusableError(f"cannot read {os.path.relpath(file)}: {error}") from error
    tool = told.get("tool", {})
    mine = tool.get("miscast") if isinstance(tool, dict) else None
    return Settings() if mine is None else _settings(file, mine)


def _parsed(text: str) -> dict[str, Any]:
    """Parse TOML; the parser is imported here because most commands have nothing to read."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib  # type: ignore[import-not-found,unused-ignore]
    return dict(tomllib.loads(text))


def _settings(file: str, told: object) -> Settings:
    where = f"{os.path.relpath(file)}: [tool.miscast]"
    if not isinstance(told, dict):
        raise UnusableError(f"{where} must be a table")
    read: dict[str, Any] = {}
    for key, value in told.items():
        if key not in _READERS:
            raise UnusableError(
                f"{where}: unknown key {key[:40]!r}{_near(key, _READERS)}"
            )
        try:
            read[key] = _READERS[key](value)
        except (TypeError, ValueError) as error:
            raise UnusableError(f"{where}: {key}: {error}") from error
    folder = os.path.dirname(os.path.relpath(file))
    if "paths" in read:
        read["paths"] = tuple(_from_here(folder, one) for one in read["paths"])
    if "baseline" in read:
        read["baseline"] = _from_here(folder, read["baseline"])
    return Settings(file=os.path.relpath(file), **read)


def _from_here(folder: str, path: str) -> str:
    return os.path.normpath(os.path.join(folder, path))


def _near(word: str, known: Collection[str]) -> str:
    expected = f"expected one of {', '.join(known)}"
    return f": {similar(word, known, expected)}"


def _text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise TypeError(f"expected a string, got {str(value)[:40]!r}")
    return value


def _switch(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"expected true or false, got {str(value)[:40]!r}")
    return value


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise TypeError(f"expected a list of strings, got {str(value)[:40]!r}")
    return tuple(map(_text, value))


def _assumed(value: object) -> tuple[str, ...]:
    from ..core.ranges import read

    told = _texts(value)
    read(told)
    return told


def _severity(value: object) -> Severity:
    for one in _SEVERITIES:
        if value == one:
            return one
    raise ValueError(
        f"expected one of {', '.join(_SEVERITIES)}, got {str(value)[:40]!r}"
    )


def _rules(value: object) -> dict[str, bool | Severity]:
    if not isinstance(value, dict):
        raise TypeError("must be a table of rules")
    from ..judging.findings.aliases import current
    from ..report.rule_page import accepted

    found: dict[str, bool | Severity] = {}
    for name, said in value.items():
        if name not in accepted():
            meant = similar(name, accepted())
            hint = f": {meant}" if meant else "; 'miscast rules' lists them"
            raise ValueError(f"unknown rule {name[:40]!r}{hint}")
        found[current(name)] = said if isinstance(said, bool) else _severity(said)
    return found


_READERS: Mapping[str, Callable[[object], Any]] = {
    "machine": _text, "strict": _switch, "paths": _texts, "assume": _assumed, "severity": _severity,
    "baseline": _text, "rules": _rules,
}  # fmt: skip
