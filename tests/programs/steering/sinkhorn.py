# machine: v100
# real: cpu
# Sinkhorn until rows sum to one.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
k = torch.rand(6, 6, device=dev) + 0.1
ones = torch.ones(6, device=dev)
while not torch.isclose(k.sum(1), ones, atol=1e-3).all():
    k = k / k.sum(0, keepdim=True)
    k = k / k.sum(1, keepdim=True)
err = float("inf")
while err > 1e-3:
    k = k / k.sum(0, keepdim=True)
    k = k / k.sum(1, keepdim=True)
    err = float((k.sum(0) - 1).abs().max())
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
