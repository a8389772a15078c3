# machine: a100
# real: cpu
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
query = torch.randn(2, 4, 8, device=dev).half()
key = torch.randn(2, 4, 8, device=dev)  # origin
# fixed: key = torch.randn(2, 4, 8, device=dev).half()
scores = query @ key.transpose(1, 2)  # finding: operand-dtype-mismatch matmul other
print(scores.shape)
