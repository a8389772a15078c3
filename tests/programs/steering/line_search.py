# machine: v100
# real: cpu
# Backtracking, with Armijo's rule.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
def f(x):
    return ((x - 3) ** 2).sum()


x = torch.zeros(4, device=dev, requires_grad=True)
g = torch.autograd.grad(f(x), x)[0]
d, c, t = -g, 1e-4, 1.0
while f(x + t * d) > f(x) + c * t * (g @ d):
    t *= 0.5
    if t < 1e-10:
        raise RuntimeError("no descent")
t = 1.0
while f(x + t * d).item() > f(x).item() - c * t * g.pow(2).sum().item():
    t *= 0.5
assert t > 0
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
