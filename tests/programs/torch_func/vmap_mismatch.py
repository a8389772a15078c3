# machine: a100
# real: cpu
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
weight = torch.randn(4, 3, device=dev, dtype=torch.float16)
batch = torch.randn(6, 3, device=dev)
# fixed: batch = torch.randn(6, 3, device=dev).half()
out = torch.vmap(lambda x: weight @ x)(batch)  # finding: operand-dtype-mismatch matmul other
