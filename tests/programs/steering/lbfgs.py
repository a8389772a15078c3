# machine: v100
# real: cpu
# A closure that checks its loss.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
w = torch.nn.Parameter(torch.zeros(4, device=dev))
opt = torch.optim.LBFGS([w], line_search_fn="strong_wolfe")
target = torch.ones(4, device=dev)
previous = float("inf")


def closure():
    opt.zero_grad()
    loss = (w - target).pow(2).sum()
    if not torch.isfinite(loss):
        raise ValueError("loss")
    loss.backward()
    return loss


while True:
    loss = opt.step(closure)
    if abs(previous - loss.item()) < 1e-6:
        break
    previous = loss.item()
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
