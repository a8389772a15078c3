# machine: a100
# real: cpu
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
a = torch.randn(2, 4, 8, device=dev, dtype=torch.bfloat16)
b = torch.randn(2, 8, 4, device=dev)
# fixed: b = torch.randn(2, 8, 4, device=dev).to(a.dtype)
bias = torch.zeros(2, 4, 4, device=dev, dtype=torch.bfloat16)
torch.bmm(a, b)  # finding: operand-dtype-mismatch bmm mat2
torch.baddbmm(bias, a, b, alpha=0.5)  # consequence: operand-dtype-mismatch baddbmm batch2
