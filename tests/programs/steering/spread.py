# machine: v100
# real: cpu
# Draws until they are spread, found by their numbers.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
found = set()
while len(found) < 3:
    found.add(int(torch.randint(0, 3, (1,), device=dev)))
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
