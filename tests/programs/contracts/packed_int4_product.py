# machine: h100
import torch

weight = torch.zeros(64, 32, dtype=torch.uint8, device="cuda")
packed = torch._convert_weight_to_int4pack(weight, 2)
scales = torch.ones(2, 64, 2, device="cuda", dtype=torch.bfloat16)
x = torch.randn(4, 64, device="cuda", dtype=torch.bfloat16)
assert torch._weight_int4pack_mm(x, packed, 32, scales).shape == (4, 64)
half = x.half()  # origin
# fixed: half = x
torch._weight_int4pack_mm(half, packed, 32, scales)  # finding: operand-dtype-not-accepted _weight_int4pack_mm self
