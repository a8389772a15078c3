"""Several changes of the same files as one, where they touch different lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from ..remedy.diffs import differences

_Block = tuple[int, int, tuple[bytes, ...]]


def merged(base: bytes, versions: Iterable[bytes]) -> bytes | None:
    """Return a text with every version's changes; None if two change the same lines differently."""
    lines = base.splitlines(keepends=True)
    blocks: set[_Block] = set()
    for version in versions:
        blocks.update(_blocks(lines, version.splitlines(keepends=True)))
    ordered = sorted(blocks, key=lambda block: block[:2])
    for (begin, end, _), (following, _, _) in pairwise(ordered):
        if following < end or (following == begin and end == begin):
            return None
    out: list[bytes] = []
    at = 0
    for begin, end, new in ordered:
        out += [*lines[at:begin], *new]
        at = end
    return b"".join([*out, *lines[at:]])


def _blocks(old: Sequence[bytes], new: Sequence[bytes]) -> Iterable[_Block]:
    for begin, end, to, until in differences(old, new):
        yield begin, end, tuple(new[to:until])


def together(
    base: Mapping[str, bytes], changes: Iterable[tuple[str, bytes]]
) -> dict[str, bytes] | None:
    """Files with all changes, each (path, the whole file's bytes with it); None where two do not go together."""
    versions: dict[str, list[bytes]] = {}
    for path, data in changes:
        versions.setdefault(path, []).append(data)
    found: dict[str, bytes] = {}
    for path, datas in versions.items():
        both = merged(base[path], datas)
        if both is None:
            return None
        found[path] = both
    return found
