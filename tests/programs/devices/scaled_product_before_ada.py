# machine: a100
# A scaled product of float8, for which a GPU before Ada has no kernel.
import torch

a = torch.randn(16, 32, device="cuda").to(torch.float8_e4m3fn)
b = torch.randn(16, 32, device="cuda").to(torch.float8_e4m3fn).t()
one = torch.tensor(1.0, device="cuda")
bf16 = torch.bfloat16
out = torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=bf16)  # finding: unsupported-dtype _scaled_mm self
assert out.dtype == torch.bfloat16
