# machine: v100
# real: cpu
# Data that is cleaned until it is clean.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
x = torch.randn(200, 4, device=dev)
while True:
    far = (x - x.mean(0)).abs() > 3 * x.std(0)
    rows = far.any(1)
    if rows.sum() == 0:
        break
    x = x[~rows]
assert len(x) > 0
x = torch.where(x > 2, torch.tensor(float("nan"), device=dev), x)
x = torch.nan_to_num(x)
assert not x.isnan().any()
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
