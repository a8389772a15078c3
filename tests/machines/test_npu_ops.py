"""torch_npu's own ops, on a virtual Ascend: in a process of its own, for torch's spare backend keeps its name."""

from __future__ import annotations

import json

from command import miscast_in

PROGRAM = """\
import torch
import torch_npu

d, h = "npu", torch.float16
x = torch.randn(2, 8, 16, device=d, dtype=h, requires_grad=True)
gamma = torch.ones(16, device=d)
y, rstd = torch_npu.npu_rms_norm(x, gamma, epsilon=1e-6)
assert (y.dtype, rstd.dtype, rstd.shape) == (h, torch.float32, (2, 8, 1))
assert torch_npu.npu_swiglu(y).shape == torch_npu.npu_geglu(y, dim=-1, approximate=1)[0].shape == (2, 8, 8)
cos = torch.randn(1, 8, 16, device=d, dtype=h)
q = torch_npu.npu_rotary_mul(y, cos, cos)
assert (q.shape, q.dtype) == (y.shape, h)
mask = torch.ones(8, 8, device=d, dtype=torch.bool).triu(1)
kv = torch.randn(2, 8, 8, device=d, dtype=h)
out = torch_npu.npu_fusion_attention(q, kv, kv, 4, "BSH", atten_mask=mask, scale=0.5, sparse_mode=2)[0]
assert (out.shape, out.dtype) == (q.shape, h)
for layout, shape in {"BNSD": (2, 4, 8, 4), "BSND": (2, 8, 4, 4), "SBH": (8, 2, 16), "TND": (8, 4, 4)}.items():
    t = torch.randn(shape, device=d, dtype=h)
    assert torch_npu.npu_fusion_attention(t, t, t, 4, layout)[0].shape == shape
out.float().sum().backward()
assert x.grad.dtype is h
wide = kv.float()
torch_npu.npu_fusion_attention(q, wide, kv, 4, "BSH")
"""


def test_results_gradients_and_operands_that_do_not_fit(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    done = miscast_in(tmp_path, "check", "--machine", "ascend910b", "--format", "json", "program.py")
    report = json.loads(done.stdout)
    assert report["ended"] is None, done.stderr
    (finding,) = report["findings"]
    assert (finding["op"], finding["blamed"]) == ("scaled_dot_product_attention", "key")
    assert finding["location"]["line"] == PROGRAM.count("\n")
