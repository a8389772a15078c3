"""Which versions of the libraries a measurement rests on."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

LIBRARIES = ("torch", "transformers", "diffusers", "timm", "peft")


def installed() -> Iterator[tuple[str, str]]:
    """Name and version of each that is there."""
    for name in LIBRARIES:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            continue
