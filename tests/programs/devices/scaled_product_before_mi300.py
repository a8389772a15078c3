# machine: mi250x
# A scaled product of float8, for which AMD has kernels from MI300 on.
import torch

a = torch.randn(16, 32, device="cuda").to(torch.float8_e4m3fn)
b = torch.randn(16, 32, device="cuda").to(torch.float8_e4m3fn).t()
one = torch.tensor(1.0, device="cuda")
bf16 = torch.bfloat16
out = torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=bf16)  # finding: unsupported-dtype _scaled_mm self
assert out.dtype == torch.bfloat16
