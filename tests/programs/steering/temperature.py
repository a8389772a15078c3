# machine: v100
# real: cpu
# Annealing until accepted, with a compare in Python between two stand-ins.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
best = torch.rand(8, device=dev).sum().item()
temperature = 10.0
while temperature > 0.1:
    cost = torch.rand(8, device=dev).sum().item()
    if cost < best:
        best = cost
    temperature *= 0.9
current = torch.rand(4, device=dev).sum()
while True:
    proposal = torch.rand(4, device=dev).sum()
    if proposal.item() < current.item():
        current = proposal
        break
entropy = 5.0
while entropy > 1.3:
    p = torch.softmax(torch.randn(4, device=dev) * 3, 0)
    entropy = -(p * p.log()).sum().item()
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
