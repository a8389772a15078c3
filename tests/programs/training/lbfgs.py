# machine: a100
# real: cpu
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.tensor([2.0, 1.0], device=dev, requires_grad=True)
optimizer = torch.optim.LBFGS([x], max_iter=5, line_search_fn="strong_wolfe")


def closure():
    optimizer.zero_grad()
    loss = (x**2).sum() + (x[0] - 1) ** 2
    loss.backward()
    return loss


for _ in range(3):
    optimizer.step(closure)
