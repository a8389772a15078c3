"""Which modules an override names: by path, with stars, or by class."""

from __future__ import annotations

from fnmatch import fnmatchcase

from .policy import CLASS


def names(pattern: str, path: str, kind: type) -> bool:
    """Whether a pattern names the module at `path`, of class `kind`.

    >>> names("**.norm*", "unet.mid_block.norm1", object), names("vae", "vae.decoder", object)
    (True, False)
    """
    if pattern.startswith(CLASS):
        return any(_is(pattern.removeprefix(CLASS), each) for each in kind.__mro__)
    return _match(tuple(pattern.split(".")), tuple(path.split(".")))


def _is(name: str, kind: type) -> bool:
    package, _, last = name.rpartition(".")
    # torch.nn.LayerNorm is how people write torch.nn.modules.normalization.LayerNorm
    within = kind.__module__ == package or kind.__module__.startswith(f"{package}.")
    return (not package or within) and last == kind.__name__


def _match(pattern: tuple[str, ...], path: tuple[str, ...]) -> bool:
    reached = {0}  # how many names of the path the pattern so far may have taken
    for part in pattern:
        if part == "**":
            reached = set(range(min(reached), len(path) + 1)) if reached else reached
        else:
            reached = {taken + 1 for taken in reached if taken < len(path) and fnmatchcase(path[taken], part)}
    return len(path) in reached
