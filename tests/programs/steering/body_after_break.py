# machine: v100
# real: cpu
# The mistake is in the loop, after the break.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
net = torch.nn.Linear(4, 2).to(dev).half()
label = torch.randint(0, 5, (6,), device=dev)
while True:
    new = (label + 1).clamp(max=8)
    if (new == label).all():
        break
    label = new
    net(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
