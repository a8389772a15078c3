"""DLPack: tensors that are handed to numpy, or taken out of a capsule, as on real torch."""

from __future__ import annotations

from functools import partial

import pytest

import miscast

SHARED = """
import numpy as np, torch
from torch.utils import dlpack
h = torch.ones(4, dtype=torch.float16)
a = np.from_dlpack(h)
assert (a.dtype, a.shape) == (np.float16, (4,))
for capsule in (dlpack.to_dlpack(h), h.__dlpack__(), h.__dlpack__(max_version=(1, 0))):
    b = torch.from_dlpack(capsule)
    assert (b.dtype, b.device.type, tuple(b.shape)) == (torch.float16, "cpu", (4,))
b = torch.from_dlpack(h)
b[:2] = 3
assert h.tolist() == [3, 3, 1, 1]
torch.from_dlpack(torch.zeros(3, dtype=torch.bfloat16)) + h.bfloat16()[:3]
d = torch.from_dlpack(np.arange(6.0))
assert d.dtype is torch.float64 and (d * 2).sum() == 30
assert h.__dlpack_device__() == (1, 0)
for take in (np.from_dlpack, torch.from_dlpack):
    try:
        take(torch.ones(3, requires_grad=True))
    except BufferError as error:
        assert "require gradient" in str(error)
    else:
        raise AssertionError(take)
"""
ON_GPU = """
import torch
from torch.utils import dlpack
g = torch.ones(2, 3, device="cuda", dtype=torch.float16)
assert g.__dlpack_device__()[0] == 2
for taken in (torch.from_dlpack(g), torch.from_dlpack(dlpack.to_dlpack(g))):
    assert (taken.device, taken.dtype) == (g.device, g.dtype)
taken + torch.ones(3)
"""
REFUSED = {
    "np.from_dlpack(torch.ones(3, dtype=torch.bfloat16))": "unsupported-dtype",
    "np.from_dlpack(torch.ones(3, device='cuda'))": "operand-device-mismatch",
}


def checked(source):
    found = miscast.check(partial(exec, compile(source, "/case/dlpack.py", "exec"), {}), machine="a100")
    assert (found.ended, found.failed) == (None, None)
    return [one.rule for one in found.findings]


def test_a_capsule_has_the_tensors_memory():
    exec(compile(SHARED, "/case/dlpack.py", "exec"), {})  # real torch is the judge
    assert checked(SHARED) == []


def test_what_comes_from_a_gpu_is_on_it():
    assert checked(ON_GPU) == ["operand-device-mismatch"]


@pytest.mark.parametrize("line", REFUSED)
def test_what_numpy_cannot_take_is_told(line):
    assert checked(f"import numpy as np, torch\n{line}") == [REFUSED[line]]
