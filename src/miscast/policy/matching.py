"""Match overrides to modules by path, with stars, or by class. Find modules that they seem to name but miss."""

from __future__ import annotations

import fnmatch
import functools
import re
from collections.abc import Callable, Iterable, Mapping

from .fields import CLASS

_TOKENS = re.compile(
    r"(?P<first>(?<![^.])\*\*\.)|(?P<last>\.\*\*$)|(?P<crossing>\*\*+)|(?P<within>\*)|(?P<one>\?)|(?P<any>\[[^]]+\])|."
)


def names(pattern: str, path: str, kind: type) -> bool:
    """Check whether a pattern names the module at `path`, of class `kind`.

    A star stays within a name of the path; two cross dots, and so does one that a pattern without dots begins with.

    >>> names("**.norm*", "unet.mid_block.norm1", object), names("vae", "vae.decoder", object)
    (True, False)
    >>> names("*norm*", "unet.mid_block.norm1", object), names("unet.*norm*", "unet.mid_block.norm1", object)
    (True, False)
    """
    if pattern.startswith(CLASS):
        return any(_is(pattern.removeprefix(CLASS), each) for each in kind.__mro__)
    return _matches(_read(pattern), path)


def left_out(pattern: str, paths: Iterable[str]) -> list[str]:
    """Return the paths that a pattern would name if its stars crossed dots, and that are not inside of what it names.

    If it names nothing, those that it would name at any depth.
    """
    if pattern.startswith(CLASS):
        return []
    known = list(paths)
    named = {path for path in known if _matches(_read(pattern), path)}
    around = tuple(f"{path}." for path in named)
    loose = _read(wider(pattern, anywhere=not named))
    return [
        path
        for path in known
        if _matches(loose, path) and path not in named and not path.startswith(around)
    ]


def wider(pattern: str, *, anywhere: bool) -> str:
    """Return the pattern with stars that cross dots, and with any names before it.

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
def _read(pattern: str) -> tuple[tuple[str | None, str], ...]:
    """Return the parts of a pattern: the kind, None for a literal character, and the text."""
    if "." not in pattern and re.match(r"\*[^*]", pattern):
        pattern = f"*{pattern}"
    return tuple(
        (token.lastgroup, token.group()) for token in _TOKENS.finditer(pattern)
    )


def _matches(tokens: Iterable[tuple[str | None, str]], path: str) -> bool:
    """Check whether the parts match the whole path. All ways are followed together, unlike in a regular expression."""
    reached = {0}
    for kind, text in tokens:
        reached = {end for begin in reached for end in _ends(kind, text, path, begin)}
    return len(path) in reached


_SPANS: Mapping[str | None, Callable[[str, int], Iterable[int]]] = {
    "crossing": lambda path, begin: range(begin, len(path) + 1),
    "within": lambda path, begin: range(begin, f"{path}.".index(".", begin) + 1),
    "first": lambda path, begin: (begin, *(end for end in range(begin + 2, len(path) + 1) if path[end - 1] == ".")),
    "last": lambda path, begin: range(begin, len(path) + 1) if path[begin : begin + 1] == "." else (begin,),
}  # fmt: skip
"""The places in a path where a part can end, for the kinds that take any number of characters."""


def _ends(kind: str | None, text: str, path: str, begin: int) -> Iterable[int]:
    """Return how far a part may take a path from a place on."""
    if kind in _SPANS:
        return _SPANS[kind](path, begin)
    return (begin + 1,) if _takes(kind, text, path[begin : begin + 1]) else ()


def _takes(kind: str | None, text: str, character: str) -> bool:
    if kind is None:
        return character == text
    return character not in ("", "." if kind == "one" else "") and fnmatch.fnmatchcase(
        character, text
    )
