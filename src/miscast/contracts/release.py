"""The release of torch that is judged, where it decides."""

from __future__ import annotations

import sys


def release() -> tuple[int, int]:
    """Return major and minor version of the torch that is imported; those of the measured one where none is."""
    version = getattr(sys.modules.get("torch"), "__version__", "2.13")
    major, minor, *_ = str(version).split(".")
    return int(major), int(minor)
