# machine: a100
import torch

a = torch.randn(4, 8, device="cuda", dtype=torch.bfloat16)
b = torch.randn(8, 4, device="cuda")
# fixed: b = torch.randn(8, 4, device="cuda").bfloat16()
bias = torch.zeros(4, device="cuda", dtype=torch.bfloat16)
c = torch.mm(a, b)  # finding: operand-dtype-mismatch mm mat2
d = torch.addmm(bias, a, b)  # consequence: operand-dtype-mismatch addmm mat2
print((c + d).shape)
