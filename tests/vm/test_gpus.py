"""Torch counts no GPU in a box, and the program's environment says what it said."""

from __future__ import annotations

import ctypes
import os

import pytest
import torch

from miscast.running.program import gpus

NAME = "CUDA_VISIBLE_DEVICES"


def in_c():
    libc = ctypes.CDLL(None)
    libc.getenv.restype = ctypes.c_char_p
    return libc.getenv(NAME.encode())


@pytest.mark.parametrize("before", [None, "1,0"])
def test_counted_while_none_is_visible(monkeypatch, before):
    if before is None:
        monkeypatch.delenv(NAME, raising=False)
    else:
        monkeypatch.setenv(NAME, before)
    seen = []
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    monkeypatch.setattr(torch._C, "_cuda_getDeviceCount", lambda: seen.append((in_c(), os.environ.get(NAME))), False)
    gpus.hide()
    assert seen == [(b"-1", before)]
    assert in_c() == (before and before.encode())


def test_a_torch_for_the_cpu_is_not_asked(monkeypatch):
    monkeypatch.setattr(torch.version, "cuda", None)
    monkeypatch.setattr(torch._C, "_cuda_getDeviceCount", pytest.fail, False)
    gpus.hide()
