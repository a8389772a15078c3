# machine: v100
# real: cpu
# Bisection between tensors.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
a = torch.rand(4, device=dev) + 1
low, high = torch.zeros((), device=dev), torch.full((), 10.0, device=dev)
while high - low > 1e-4:
    mid = (low + high) / 2
    if (a / mid).sum() > 4:
        low = mid
    else:
        high = mid
lo, hi = 0.0, 10.0
while hi - lo > 1e-3:
    mid = (lo + hi) / 2
    value = (a * mid).sum().item()
    if value < 8:
        lo = mid
    else:
        hi = mid
assert low <= high
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
