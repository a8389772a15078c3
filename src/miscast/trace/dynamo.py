"""`torch._dynamo`, imported: it probes CUDA and torch's signatures then, and names a folder in the environment.

To be imported before anything is patched. What else reads the folder's name (TORCHINDUCTOR_CACHE_DIR) sets it itself.
"""

from __future__ import annotations

import importlib
import os

__all__: list[str] = []

_before = dict(os.environ)
importlib.import_module("torch._dynamo")
for _name in set(os.environ) - set(_before):
    del os.environ[_name]
