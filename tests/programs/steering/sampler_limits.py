# machine: v100
# real: cpu
# Unique draws, and a token budget.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
seen, budget = [], 0
while len(seen) < 4:
    i = torch.randint(0, 100, (1,), device=dev).item()
    if i in seen:
        continue
    seen.append(i)
while budget < 64:
    budget += torch.randint(1, 9, (1,), device=dev).item()
lengths = []
while sum(lengths) < 100:
    lengths.append(int(torch.randint(5, 20, (1,), device=dev)))
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
