# machine: h100
import torch

a = torch.randn(32, 64, device="cuda").to(torch.float8_e4m3fn)
b = torch.randn(64, 64, device="cuda").to(torch.float8_e4m3fn).t()
one = torch.ones((), device="cuda")
half = one.to(torch.bfloat16)  # origin
# fixed: half = one
bf16 = torch.bfloat16
torch._scaled_mm(a, b, scale_a=half, scale_b=one, out_dtype=bf16)  # finding: operand-dtype-not-accepted _scaled_mm scale_a
