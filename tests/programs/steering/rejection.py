# machine: v100
# real: cpu
# Rejection sampling.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
out = []
while len(out) < 10:
    z = torch.randn(2, device=dev)
    if z.norm() < 1:
        out.append(z)
z = torch.randn(50, device=dev)
while (z.abs() > 2).any():
    bad = z.abs() > 2
    z = torch.where(bad, torch.randn(50, device=dev), z)
kept = []
while sum(len(k) for k in kept) < 40:
    draw = torch.rand(16, device=dev)
    ok = draw > 0.5
    if not ok.any():
        continue
    kept.append(draw[ok])
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
