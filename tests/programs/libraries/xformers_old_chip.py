# machine: v100
# xformers has no bfloat16 kernels before Ampere; what its kernels give is contiguous, also where torch takes another.
import torch
import xformers.ops as xops

q, k, v = (torch.randn(2, 16, 4, 8, device="cuda", dtype=torch.float16) for _ in range(3))
assert xops.memory_efficient_attention(q, k, v).view(2, 16, -1).shape == (2, 16, 32)
assert xops.memory_efficient_attention(q.float(), k.float(), v.float()).is_contiguous()

half = torch.bfloat16
# fixed: half = torch.float16
q, k, v = (torch.randn(2, 16, 4, 8, device="cuda", dtype=half) for _ in range(3))  # finding: dtype-not-on-machine torch.randn
out = xops.memory_efficient_attention(q, k, v)  # finding: unsupported-dtype memory_efficient_attention query # consequence: dtype-not-on-machine Tensor.to
assert out.view(2, 16, -1).shape == (2, 16, 32) and out.dtype is half
try:
    xops.memory_efficient_attention(q.double(), k.double(), v.double())
except NotImplementedError as error:
    assert "dtype=torch.float64" in str(error)
    out = None
