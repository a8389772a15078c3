# machine: h100
# A scaled product of float8 on a GPU that has a kernel for it.
import torch

a = torch.randn(16, 32, device="cuda").to(torch.float8_e4m3fn)
b = torch.randn(16, 32, device="cuda").to(torch.float8_e4m3fn).t()
one = torch.tensor(1.0, device="cuda")
out = torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16)
assert out.dtype == torch.bfloat16
