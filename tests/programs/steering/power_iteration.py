# machine: v100
# real: cpu
# Power iteration until the vector stays.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
a = torch.randn(8, 8, device=dev)
a = a @ a.T
v = torch.randn(8, device=dev)
v = v / v.norm()
while True:
    new = a @ v
    new = new / new.norm()
    if torch.allclose(new, v, atol=1e-5):
        break
    v = new
for _ in range(10_000):
    new = a @ v
    new = new / new.norm()
    if (new - v).abs().max() < 1e-6:
        break
    v = new
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
