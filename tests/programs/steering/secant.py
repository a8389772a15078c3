# machine: v100
# real: cpu
# Root finding with a guard.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
f = lambda t: t**3 - t - 2
a, b = torch.tensor(1.0, device=dev), torch.tensor(2.0, device=dev)
if f(a) * f(b) > 0:
    raise ValueError("no change of sign")
while abs(b - a) > 1e-5:
    m = (a + b) / 2
    if f(a) * f(m) <= 0:
        b = m
    else:
        a = m
x, n = torch.full((3,), 2.0, device=dev), 0
while True:
    step = f(x) / (3 * x**2 - 1)
    x, n = x - step, n + 1
    if step.abs().max().item() < 1e-6 or n > 50:
        break
if n > 50:
    raise RuntimeError("no root")
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
