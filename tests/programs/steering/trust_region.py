# machine: v100
# real: cpu
# A radius that grows and shrinks until a step is good.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
w = torch.randn(4, device=dev, requires_grad=True)
target = torch.randn(4, device=dev)


def f(v):
    return ((v - target) ** 2).sum()


radius, steps = 1.0, 0
while True:
    loss = f(w)
    (g,) = torch.autograd.grad(loss, w)
    if g.norm() < 1e-3:
        break
    p = -g * min(1.0, radius / (g.norm().item() + 1e-12)) * 0.5
    with torch.no_grad():
        actual = loss - f(w + p)
    predicted = -(g @ p) - (p @ p)
    rho = (actual / predicted).item()
    if rho < 0.25:
        radius *= 0.25
    elif rho > 0.75:
        radius = min(2 * radius, 100.0)
    if rho > 0.1:
        w = (w + p).detach().requires_grad_()
    assert radius > 1e-30, "trust region collapsed"
    steps += 1
t = 1.0
w = w.detach() + 1
grad = 2 * (w - target)
while f(w - t * grad) > f(w) - 1e-4 * t * grad.dot(grad):
    t *= 0.5
    if t < 1e-10:
        raise RuntimeError("line search failed")
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
