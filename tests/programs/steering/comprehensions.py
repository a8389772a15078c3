# machine: v100
# real: cpu
# Comprehensions, walrus, conditional expressions.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
x = torch.rand(6, device=dev)
while (gap := (x.max() - x.min()).item()) > 0.01:
    x = x * 0.5 + x.mean() * 0.5
assert all(v.item() >= 0 for v in x) and any(v > 0 for v in x)
kind = "high" if x.mean() > 0.5 else "low"
assert kind in ("high", "low")
picked = [v for v in x if v > -1]
assert len(picked) == 6
values = sorted(x.tolist())
assert values == sorted(values) and min(values) <= max(values)
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
