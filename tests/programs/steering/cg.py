# machine: v100
# real: cpu
# Conjugate gradients to a tolerance, and iterations that must get better.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
a = torch.randn(20, 20, device=dev)
a = a @ a.T + 20 * torch.eye(20, device=dev)
b = torch.randn(20, device=dev)
x = torch.zeros(20, device=dev)
r = b - a @ x
p = r.clone()
rs = r @ r
it = 0
while rs.sqrt() > 1e-4:
    ap = a @ p
    alpha = rs / (p @ ap)
    assert alpha > 0, "not positive definite"
    x = x + alpha * p
    r = r - alpha * ap
    new = r @ r
    p = r + (new / rs) * p
    rs = new
    it += 1
    if it > 1000:
        raise RuntimeError("no convergence")
assert torch.allclose(a @ x, b, atol=1e-2)
lo, hi = torch.tensor(0.0, device=dev), torch.tensor(10.0, device=dev)
noise = torch.rand((), device=dev)


def g(v):
    return v * v - 2 - noise


while g(hi) < 0:
    hi = hi * 2
assert g(lo) * g(hi) < 0, "not bracketed"
while hi - lo > 1e-5:
    mid = (lo + hi) / 2
    if g(lo) * g(mid) <= 0:
        hi = mid
    else:
        lo = mid
assert abs(g((lo + hi) / 2).item()) < 1e-2
last = float("inf")
u = torch.rand(5, device=dev)
while True:
    u = u * 0.5
    change = u.abs().max().item()
    if abs(last - change) < 1e-6:
        break
    last = change
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
