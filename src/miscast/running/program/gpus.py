"""The GPUs of the machine at hand: a check has no use for them, and torch would take a part of each.

The first `backward()` of a process starts a thread for every GPU that torch counts, and each thread makes a context:
some 500 MiB of a GPU on which others may be at work, and a quarter of a second.
"""

from __future__ import annotations

import os
from contextlib import suppress

import torch

_VISIBLE = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES")


def hide() -> None:
    """Let torch count none, in this process and for good. What the program reads in its environment stays as it was."""
    count = getattr(torch._C, "_cuda_getDeviceCount", None)
    if count is None or not (torch.version.cuda or torch.version.hip):
        return
    for name in _VISIBLE:
        os.putenv(name, "-1")  # the C library's environment, not `os.environ`
    with suppress(RuntimeError):
        count()  # asked once in a process, and remembered
    for name in _VISIBLE:
        before = os.environ.get(name)
        os.unsetenv(name) if before is None else os.putenv(name, before)
