# machine: a100
# real: cpu
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
cov = torch.eye(4, device=dev, dtype=torch.float16)
# fixed: cov = torch.eye(4, device=dev)
torch.linalg.solve(cov, torch.ones_like(cov))  # finding: unsupported-dtype linalg_solve A
