"""`torch._dynamo`, imported: it probes CUDA and torch's signatures then, and names and makes a folder for its cache.

To be imported before anything is patched. What else reads the folder's name (TORCHINDUCTOR_CACHE_DIR) sets it itself,
and what writes there makes it: a check leaves no folder behind.
"""

from __future__ import annotations

import importlib
import os
from typing import Any

from .patching import Patch, applied

__all__: list[str] = []

_NAME = "TORCHINDUCTOR_CACHE_DIR"


def _imported() -> None:
    before, make = dict(os.environ), os.makedirs

    def made(name: Any, *options: Any, **named: Any) -> None:
        if os.fspath(name) != os.environ.get(_NAME):
            make(name, *options, **named)

    with applied([Patch(os, "makedirs", made)]):
        importlib.import_module("torch._dynamo")
    for name in set(os.environ) - set(before):
        del os.environ[name]


_imported()
