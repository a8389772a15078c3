"""The release of torch that is judged, where it decides."""

from __future__ import annotations

import sys


def release() -> tuple[int, int]:
    """Return major and minor version of the imported torch; if there is none, those of the measured one."""
    version = getattr(sys.modules.get("torch"), "__version__", "2.13")
    major, minor, *_ = str(version).split(".")
    return int(major), int(minor)
