# machine: v100
# real: cpu
# Conjugate gradients and Jacobi.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
a = torch.randn(6, 6, device=dev)
a = a @ a.T + 6 * torch.eye(6, device=dev)
b = torch.randn(6, device=dev)
x = torch.zeros(6, device=dev)
r = b - a @ x
p, rs = r, r @ r
while rs.sqrt() > 1e-4:
    ap = a @ p
    alpha = rs / (p @ ap)
    x = x + alpha * p
    r = r - alpha * ap
    new = r @ r
    p, rs = r + (new / rs) * p, new
residual = torch.linalg.norm(a @ x - b) / torch.linalg.norm(b)
if residual > 1e-2:
    raise ArithmeticError("the solver did not converge")
assert residual.isfinite()
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
