"""A storage mapped from a file is called on the machine as torch's own is."""

from __future__ import annotations

import os

import pytest
import torch

import miscast

_BYTES = 64
_CALLS = {
    "path alone": ((), {}),
    "by position": ((False, 32), {}),
    "by keyword": ((), {"shared": False, "nbytes": _BYTES}),
    "shared": ((True, _BYTES), {}),
    "shared by keyword": ((), {"shared": True, "nbytes": _BYTES}),
    "a name that it lacks": ((), {"size": _BYTES}),
}


def _mapped(path, args, options):
    try:
        return torch.UntypedStorage.from_file(path, *args, **options).nbytes()
    except TypeError:
        return "TypeError"


@pytest.mark.parametrize("case", _CALLS)
def test_as_torch_maps_it(case, tmp_path):
    path = os.fspath(tmp_path / "a.bin")
    (tmp_path / "a.bin").write_bytes(bytes(_BYTES))
    real = _mapped(path, *_CALLS[case])
    checked = miscast.check(_mapped, path, *_CALLS[case])
    assert (checked.ended, checked.result) == (None, real)
