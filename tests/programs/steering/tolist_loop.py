# machine: v100
# real: cpu
# A loop on a list.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
x = torch.rand(3, device=dev) + 0.1
while x.tolist()[0] < 1:
    x = x * 2
while x.cpu().numpy().max() > 0.5:
    x = x / 2
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
