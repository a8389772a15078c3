"""`torch._dynamo`, imported: it probes CUDA and torch's signatures then, and names and makes a folder for its cache.

To be imported before anything is patched. What else reads the folder's name (TORCHINDUCTOR_CACHE_DIR) sets it itself,
and what writes there makes it: a check leaves no folder behind. Where it cannot be imported (a folder of
the user's named `triton` is enough), the machine does without (`patches/compiling.py`).
"""

from __future__ import annotations

import importlib
import os
from typing import Any, Final

from ..process.patching import Patch, applied

_NAME = "TORCHINDUCTOR_CACHE_DIR"


def _imported() -> Exception | None:
    """Import it; what kept it from being imported, else None."""
    before, make = dict(os.environ), os.makedirs

    def made(name: Any, *options: Any, **named: Any) -> None:
        if os.fspath(name) != os.environ.get(_NAME):
            make(name, *options, **named)

    try:
        with applied([Patch(os, "makedirs", made)]):
            importlib.import_module("torch._dynamo")
    except Exception as error:  # noqa: BLE001 - whatever a user's module of some name raises
        return error.with_traceback(None)
    finally:
        for name in set(os.environ) - set(before):
            del os.environ[name]
    return None


REFUSED: Final = _imported()
"""Why it cannot be imported; None where it can."""
