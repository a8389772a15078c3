# machine: v100
# real: cpu
# Connected components: until nothing changes.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
a = torch.rand(30, 30, device=dev) < 0.05
a = a | a.T
label = torch.arange(30, device=dev)
while True:
    new = torch.where(a, label[None].expand(30, 30), 99).min(1).values.minimum(label)
    if (new == label).all():
        break
    label = new
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
