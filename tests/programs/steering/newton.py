# machine: v100
# real: cpu
# Newton's method with a tolerance, in a function that returns its verdict.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
def converged(a, b, tol=1e-6):
    return (a - b).abs().max().item() < tol


def close(a, b):
    return torch.allclose(a, b)


x, a = torch.full((4,), 3.0, device=dev), torch.rand(4, device=dev) + 1
while True:
    new = 0.5 * (x + a / x)
    if converged(new, x):
        break
    x = new
while not close(x * x, a):
    x = 0.5 * (x + a / x)
is_done = lambda t: not (t > 1e3).any()
while not is_done(x):
    x = x / 2
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
