# machine: v100
# real: cpu
# Gradient descent with the norm of the gradient as its end.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
w = torch.zeros(4, device=dev, requires_grad=True)
t = torch.rand(4, device=dev)
g = torch.ones(4, device=dev)
while g.norm() > 1e-3:
    loss = (w - t).pow(2).sum()
    (g,) = torch.autograd.grad(loss, w)
    with torch.no_grad():
        w -= 0.1 * g
losses = [1e9, 1e8]
while abs(losses[-1] - losses[-2]) > 1e-5:
    loss = (w - t).pow(2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad = None
    losses.append(loss.item())
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
