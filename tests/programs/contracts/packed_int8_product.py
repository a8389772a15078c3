# machine: cpu
# real: cpu
import torch

weight = torch.randint(-127, 127, (128, 128), dtype=torch.int8)
scales = torch.ones(128)  # origin
# fixed: scales = torch.ones(128, dtype=torch.bfloat16)
x = torch.randn(4, 128, dtype=torch.bfloat16)
torch._weight_int8pack_mm(x, weight, scales)  # finding: operand-dtype-mismatch _weight_int8pack_mm scales
