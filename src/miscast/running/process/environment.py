"""The variables of this process, all at once: as a launcher would leave them, as they were before."""

from __future__ import annotations

import os
from collections.abc import Mapping


def put(wanted: Mapping[str, str]) -> None:
    """Set the environment to these variables, and no others."""
    for name in set(os.environ) - set(wanted):
        del os.environ[name]
    os.environ.update(wanted)
