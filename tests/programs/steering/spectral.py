# machine: v100
# real: cpu
# A matrix that is made positive definite.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
m = torch.randn(5, 5, device=dev)
m = m + m.T
jitter = 1e-3
while True:
    try:
        torch.linalg.cholesky(m + jitter * torch.eye(5, device=dev))
        break
    except torch.linalg.LinAlgError:
        jitter *= 10
m = m + jitter * torch.eye(5, device=dev)
while torch.linalg.eigvalsh(m).min() <= 0:
    m = m + torch.eye(5, device=dev)
assert (torch.linalg.eigvalsh(m) > 0).all()
_, info = torch.linalg.cholesky_ex(m)
if info.any():
    raise RuntimeError("not positive definite")
assert torch.equal(m, m.T) or torch.allclose(m, m.T)
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
