"""Which modules an override names: by path, with stars, or by class; and which it seems to name, and does not."""

from __future__ import annotations

import fnmatch
import functools
import re
from collections.abc import Iterable

from .policy import CLASS

_TOKENS = re.compile(
    r"(?P<first>(?<![^.])\*\*\.)|(?P<last>\.\*\*$)|(?P<crossing>\*\*+)|(?P<within>\*)|(?P<one>\?)|(?P<any>\[[^]]+\])|."
)
_AS = {
    "first": r"(?:[^.]+\.)*",  # any names, or none
    "last": r"(?:\..*)?",
    "crossing": ".*",
    "within": "[^.]*",
    "one": "[^.]",
}


def names(pattern: str, path: str, kind: type) -> bool:
    """Whether a pattern names the module at `path`, of class `kind`.

    A star stays within a name of the path; two cross dots, and so does one that a pattern without dots begins with.

    >>> names("**.norm*", "unet.mid_block.norm1", object), names("vae", "vae.decoder", object)
    (True, False)
    >>> names("*norm*", "unet.mid_block.norm1", object), names("unet.*norm*", "unet.mid_block.norm1", object)
    (True, False)
    """
    if pattern.startswith(CLASS):
        return any(_is(pattern.removeprefix(CLASS), each) for each in kind.__mro__)
    return _read(pattern).fullmatch(path) is not None


def left_out(pattern: str, paths: Iterable[str]) -> list[str]:
    """The paths that a pattern would name if its stars crossed dots, and that are not inside of what it names.

    If it names nothing, those that it would name at any depth.
    """
    if pattern.startswith(CLASS):
        return []
    known = list(paths)
    named = {path for path in known if _read(pattern).fullmatch(path)}
    around = tuple(f"{path}." for path in named)
    loose = _read(wider(pattern, anywhere=not named))
    return [path for path in known if loose.fullmatch(path) and path not in named and not path.startswith(around)]


def wider(pattern: str, *, anywhere: bool) -> str:
    """The pattern with stars that cross dots, and with any names before it.

    One in the last name would only add what is inside of what it names.
    """
    *outer, last = pattern.split(".")
    crossing = ".".join([*(re.sub(r"\*+", "**", part) for part in outer), last])
    return f"**.{crossing}" if anywhere and not crossing.startswith("**") else crossing


def _is(name: str, kind: type) -> bool:
    package, _, last = name.rpartition(".")
    # torch.nn.LayerNorm is how people write torch.nn.modules.normalization.LayerNorm
    within = kind.__module__ == package or kind.__module__.startswith(f"{package}.")
    return (not package or within) and last == kind.__name__


@functools.lru_cache(256)
def _read(pattern: str) -> re.Pattern[str]:
    """The pattern as a regular expression over whole paths."""
    if "." not in pattern and re.match(r"\*[^*]", pattern):
        pattern = f"*{pattern}"
    return re.compile("".join(_expression(token) for token in _TOKENS.finditer(pattern)))


def _expression(token: re.Match[str]) -> str:
    kind = token.lastgroup
    if kind == "any":  # [ab], [!0-3], as fnmatch reads them; it wraps them for its own use
        return fnmatch.translate(token.group()).removeprefix("(?s:").rsplit(")", 1)[0]
    return _AS[kind] if kind else re.escape(token.group())
